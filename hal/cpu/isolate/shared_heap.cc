#include "hal/cpu/isolate/shared_heap.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/isolate/protocol.h"
#include "hal/paid_transfer.h"

namespace eyrie::hal::cpu::isolate {
namespace {

// Blocks of this size or more have their own pages, which are returned to the
// system when they are freed.
constexpr uint64_t kReturnedFrom = uint64_t{64} << 10;
// A signal makes fallocate start again, and other threads wait while the file
// is cut, so both get pieces, which take some milliseconds.
constexpr uint64_t kPiece = uint64_t{4} << 20;

uint64_t PageSize() {
  static const auto size = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

uint64_t RoundUp(uint64_t value, uint64_t to) {
  return (value + to - 1) / to * to;
}

// Returns what a block's offset and size are multiples of.
uint64_t UnitOf(uint64_t size) {
  return size >= kReturnedFrom ? PageSize() : kBufferAlignment;
}

absl::Status Refused(const char* what, uint64_t size, int error) {
  rlimit space = {};
  const bool is_limited = error == ENOMEM &&
                          getrlimit(RLIMIT_AS, &space) == 0 &&
                          space.rlim_cur != RLIM_INFINITY;
  return absl::UnavailableError(absl::StrCat(
      "The system does not ", what, " ", size,
      " bytes that an isolated worker shares: ", std::strerror(error),
      is_limited ? absl::StrCat(" (this process may have ", space.rlim_cur,
                                " bytes of address space, ulimit -v)")
                 : "",
      "."));
}

}  // namespace

Descriptor WithHighNumber(int file) {
  const Descriptor low(file);
  if (!low.is_open()) return {};
  Descriptor high(fcntl(low.get(), F_DUPFD_CLOEXEC, kFirstOtherFile));
  // The limit of open files is below the number.
  if (!high.is_open() && errno == EINVAL) errno = EMFILE;
  return high;
}

absl::StatusOr<std::shared_ptr<SharedHeap>> SharedHeap::Create(const char* name,
                                                               uint64_t address,
                                                               uint64_t size) {
  Descriptor file = WithHighNumber(memfd_create(name, MFD_CLOEXEC));
  if (!file.is_open()) return Refused("create", size, errno);
  const int place = address == 0 ? 0 : MAP_FIXED_NOREPLACE;
  void* const data =
      mmap(reinterpret_cast<void*>(address), size, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_NORESERVE | place, file.get(), 0);
  if (data == MAP_FAILED && errno == EEXIST) {
    return absl::AlreadyExistsError("The address range is in use.");
  }
  if (data == MAP_FAILED) return Refused("map", size, errno);
  // A core dump of the host would contain the whole range, mostly zeros.
  madvise(data, size, MADV_DONTDUMP);
  return std::shared_ptr<SharedHeap>(
      new SharedHeap(std::move(file), static_cast<uint8_t*>(data), size));
}

bool SharedHeap::CanUse(const void* memory, size_t size) const {
  const auto* const bytes = static_cast<const uint8_t*>(memory);
  return bytes >= data_ && bytes <= data_ + size_ &&
         size <= static_cast<uint64_t>(data_ + size_ - bytes);
}

std::optional<SharedStatistics> SharedHeap::shared() const {
  return SharedStatistics{copied_arrays_.load(std::memory_order_relaxed),
                          copied_bytes_.load(std::memory_order_relaxed),
                          committed_.load(std::memory_order_relaxed),
                          most_committed_.load(std::memory_order_relaxed)};
}

void SharedHeap::CountCommitted(uint64_t bytes) {
  const uint64_t now =
      committed_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  uint64_t most = most_committed_.load(std::memory_order_relaxed);
  while (now > most && !most_committed_.compare_exchange_weak(
                           most, now, std::memory_order_relaxed)) {
  }
}

void SharedHeap::CountCopies(uint64_t arrays, uint64_t bytes) {
  copied_arrays_.fetch_add(arrays, std::memory_order_relaxed);
  copied_bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

absl::Status SharedHeap::UseWhole() {
  const FileSizeSignalBlock block;
  end_ = size_;
  if (ftruncate(file_.get(), static_cast<off_t>(size_)) == 0) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(absl::StrCat(
      "The system has no ", size_,
      " bytes for an isolated worker: ", std::strerror(errno), "."));
}

void SharedHeap::AddFree(uint64_t offset, uint64_t size) {
  if (size == 0) return;
  free_.emplace(offset, size);
  by_size_.emplace(size, offset);
}

SharedHeap::Ranges::iterator SharedHeap::RemoveFree(Ranges::iterator range) {
  by_size_.erase({range->second, range->first});
  return free_.erase(range);
}

uint64_t SharedHeap::Take(uint64_t size, uint64_t alignment) {
  // Addresses are aligned, not only offsets.
  const auto base = reinterpret_cast<uintptr_t>(data_);
  const auto place = [&](uint64_t from) {
    return RoundUp(base + from, alignment) - base;
  };
  for (auto it = by_size_.lower_bound({size, 0}); it != by_size_.end(); ++it) {
    const auto [length, offset] = *it;
    const uint64_t begin = place(offset);
    if (begin - offset > length - size) continue;
    RemoveFree(free_.find(offset));
    AddFree(offset, begin - offset);
    AddFree(begin + size, offset + length - begin - size);
    return begin;
  }
  const uint64_t begin = place(end_);
  if (begin > size_ || size > size_ - begin) return size_;
  AddFree(end_, begin - end_);
  end_ = begin + size;
  return begin;
}

void SharedHeap::Join(uint64_t offset, uint64_t size) {
  auto after = free_.lower_bound(offset);
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == offset) {
      offset = before->first;
      size += before->second;
      after = RemoveFree(before);
    }
  }
  if (after != free_.end() && after->first == offset + size) {
    size += after->second;
    RemoveFree(after);
  }
  AddFree(offset, size);
}

bool SharedHeap::CutEnd() {
  if (free_.empty()) return false;
  const auto last = std::prev(free_.end());
  const auto [offset, size] = *last;
  if (offset + size != end_) return false;
  const uint64_t piece = std::min(size, kPiece);
  RemoveFree(last);
  AddFree(offset, size - piece);
  end_ -= piece;
  // If it fails, the file only stays longer.
  (void)!ftruncate(file_.get(), static_cast<off_t>(RoundUp(end_, PageSize())));
  return true;
}

void SharedHeap::GiveBack(uint64_t offset, uint64_t size) {
  if (size >= kReturnedFrom) {
    // If it fails, the pages only stay.
    (void)!fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                     static_cast<off_t>(offset), static_cast<off_t>(size));
  }
  bool is_cut = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Join(offset, size);
    is_cut = CutEnd();
  }
  while (is_cut) {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_cut = CutEnd();
  }
}

bool SharedHeap::Commit(uint64_t offset, uint64_t size) {
  const FileSizeSignalBlock block;
  const uint64_t end = RoundUp(offset + size, PageSize());
  for (uint64_t at = offset / PageSize() * PageSize(); at < end;) {
    const uint64_t piece = std::min(kPiece, end - at);
    if (fallocate(file_.get(), 0, static_cast<off_t>(at),
                  static_cast<off_t>(piece)) == 0) {
      at += piece;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

absl::StatusOr<void*> SharedHeap::AllocatePaid(size_t size, size_t alignment,
                                               WorkBudget* work) {
  if (mark_.IsForked() || size > size_) return nullptr;
  const uint64_t unit = UnitOf(size);
  const uint64_t rounded = RoundUp(size, unit);
  uint64_t offset = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    offset = Take(rounded, std::max<uint64_t>(unit, alignment));
  }
  if (offset == size_) return nullptr;
  bool has_memory = true;
  const absl::Status paid = MovePaid(
      work, "allocation for an isolated worker", rounded,
      [&](uint64_t at, uint64_t piece) {
        has_memory = Commit(offset + at, piece);
        return has_memory ? absl::OkStatus() : absl::ResourceExhaustedError("");
      });
  if (paid.ok()) {
    CountCommitted(rounded);
    return data_ + offset;
  }
  GiveBack(offset, rounded);
  if (!has_memory) return nullptr;
  return paid;
}

void SharedHeap::Free(void* memory, size_t size) {
  if (mark_.IsForked()) return;
  const uint64_t rounded = RoundUp(size, UnitOf(size));
  CountReturned(rounded);
  GiveBack(static_cast<uint64_t>(static_cast<uint8_t*>(memory) - data_),
           rounded);
}

}  // namespace eyrie::hal::cpu::isolate
