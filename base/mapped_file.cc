#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/descriptor.h"
#include "base/status_macros.h"
#include "base/system_error.h"

namespace eyrie {
namespace {

constexpr size_t kAlignment = 64;

// The size of the first block, and the most that one call reads.
constexpr size_t kFirstBytes = size_t{1} << 16;
constexpr size_t kPieceBytes = size_t{16} << 20;

// The limit for devices, which may have no end, such as /dev/zero.
constexpr size_t kDeviceBytes = size_t{1} << 24;

// Returns the limit for pipes: half of the machine's memory, since a block that
// grows is copied.
size_t PipeBytes() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) / 2 *
         static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// Returns the number of bytes between the start of a page and an offset in it.
size_t LeadOf(uint64_t offset) {
  return static_cast<size_t>(offset %
                             static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
}

// A growing block from aligned_alloc.
struct HeapBlock {
  uint8_t* data = nullptr;
  size_t size = 0;
  size_t capacity = 0;

  HeapBlock() = default;
  HeapBlock(const HeapBlock&) = delete;
  HeapBlock& operator=(const HeapBlock&) = delete;
  ~HeapBlock() { std::free(data); }

  bool Grow(size_t wanted) {
    if (wanted <= capacity || wanted > SIZE_MAX / 2) return false;
    auto* grown = static_cast<uint8_t*>(std::aligned_alloc(
        kAlignment, (wanted + kAlignment - 1) & ~(kAlignment - 1)));
    if (grown == nullptr) return false;
    if (size != 0) std::memcpy(grown, data, size);
    std::free(data);
    data = grown;
    capacity = wanted;
    return true;
  }
};

}  // namespace

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Open(
    const std::string& path) {
  if (path == "-") return OpenInput();
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return SystemError("open", path, errno);
  return Map(file.release(), path);
}

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::OpenRegular(
    const std::string& path, uint64_t most) {
  // Checked before open(), which may have side effects on a device.
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return SystemError("open", path, errno);
  const absl::Status irregular =
      absl::InvalidArgumentError(absl::StrCat(path, " is not a regular file."));
  if (!S_ISREG(info.st_mode)) return irregular;
  Descriptor file(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (!file.is_open()) return SystemError("open", path, errno);
  if (fstat(file.get(), &info) != 0) return SystemError("stat", path, errno);
  if (!S_ISREG(info.st_mode)) return irregular;
  if (static_cast<uint64_t>(info.st_size) > most) {
    return absl::ResourceExhaustedError(
        absl::StrCat("The file ", path, " has ", info.st_size,
                     " bytes; the limit is ", most, "."));
  }
  return Map(file.release(), path);
}

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::OpenInput() {
  constexpr char kName[] = "standard input";
  struct stat info;
  const bool whole_file = fstat(STDIN_FILENO, &info) == 0 &&
                          S_ISREG(info.st_mode) &&
                          lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
  if (!whole_file) return ReadAll(STDIN_FILENO, kName);
  Descriptor file(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  if (!file.is_open()) return SystemError("open", kName, errno);
  // Moves the position as reading would.
  lseek(STDIN_FILENO, 0, SEEK_END);
  return Map(file.release(), kName);
}

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Map(
    int descriptor, const std::string& path) {
  Descriptor file(descriptor);
  struct stat info;
  if (fstat(file.get(), &info) != 0) return SystemError("stat", path, errno);
  if (S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " is a directory, not a file."));
  }
  if (!S_ISREG(info.st_mode)) return ReadAll(file.get(), path);
  return MapPart(std::move(file), 0, static_cast<uint64_t>(info.st_size), path);
}

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::OpenPart(
    int descriptor, uint64_t offset, std::optional<uint64_t> size,
    const std::string& name) {
  struct stat info;
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is not an open regular file."));
  }
  const auto all = static_cast<uint64_t>(info.st_size);
  if (offset > all || (size && *size > all - offset)) {
    return absl::OutOfRangeError(absl::StrCat(
        size ? absl::StrCat("The range of ", *size, " bytes") : "The range",
        " at offset ", offset, " exceeds ", name, " (", all, " bytes)."));
  }
  Descriptor file(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  if (!file.is_open()) return SystemError("open", name, errno);
  return MapPart(std::move(file), offset, size.value_or(all - offset), name);
}

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::MapPart(
    Descriptor file, uint64_t offset, uint64_t size, const std::string& path) {
  if (size == 0) {
    return std::shared_ptr<const MappedFile>(
        new MappedFile(path, nullptr, 0, Storage::kNone, -1));
  }
  const size_t lead = LeadOf(offset);
  void* base = mmap(nullptr, lead + size, PROT_READ, MAP_PRIVATE, file.get(),
                    static_cast<off_t>(offset - lead));
  if (base == MAP_FAILED) return SystemError("map", path, errno);
  return std::shared_ptr<const MappedFile>(
      new MappedFile(path, static_cast<const uint8_t*>(base) + lead, size,
                     Storage::kMapping, file.release(), offset));
}

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::ReadAll(
    int descriptor, const std::string& name, Gate gate) {
  struct stat info = {};
  const bool known = fstat(descriptor, &info) == 0;
  const bool device = known && S_ISCHR(info.st_mode);
  const size_t limit = device ? kDeviceBytes : PipeBytes();
  size_t capacity = kFirstBytes;
  if (known && S_ISREG(info.st_mode) && info.st_size > 0) {
    // One byte more, so that read() can find the end without another block.
    capacity = static_cast<size_t>(info.st_size) + 1;
  }
  HeapBlock block;
  while (!device || block.size < limit) {
    if (block.size > limit || capacity / 2 > limit) {
      return absl::ResourceExhaustedError(
          absl::StrCat("More than ", limit, " bytes were read from ", name,
                       ", half of this machine's memory."));
    }
    if (block.size == block.capacity) {
      RETURN_IF_ERROR(gate(capacity - block.capacity));
      if (!block.Grow(capacity)) {
        return absl::ResourceExhaustedError(
            absl::StrCat("No memory is left to read ", name, " after ",
                         block.size, " bytes."));
      }
      capacity *= 2;
    }
    RETURN_IF_ERROR(gate(0));
    const ssize_t got =
        read(descriptor, block.data + block.size,
             std::min(block.capacity - block.size, kPieceBytes));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("read", name, errno);
    if (got == 0) break;
    block.size += static_cast<size_t>(got);
  }
  const uint8_t* data = std::exchange(block.data, nullptr);
  return std::shared_ptr<const MappedFile>(
      new MappedFile(name, data, block.size, Storage::kHeap, -1));
}

MappedFile::~MappedFile() {
  if (storage_ == Storage::kMapping) {
    const size_t lead = LeadOf(file_offset_);
    munmap(const_cast<uint8_t*>(data_) - lead, lead + size_);
    close(descriptor_);
  } else if (storage_ == Storage::kHeap) {
    std::free(const_cast<uint8_t*>(data_));
  }
}

absl::StatusOr<std::shared_ptr<const PrivateMapping>> MappedFile::MapPrivately(
    std::span<const uint8_t> part) const {
  if (storage_ != Storage::kMapping) {
    return absl::FailedPreconditionError(
        absl::StrCat(path_, " was read into memory and is not a mapping."));
  }
  // Compared as integers: `part` may point anywhere.
  const uint64_t offset = reinterpret_cast<uintptr_t>(part.data()) -
                          reinterpret_cast<uintptr_t>(data_);
  if (part.empty() || !RangeFits(offset, part.size(), size_)) {
    return absl::OutOfRangeError(absl::StrCat("The ", part.size(),
                                              " bytes to map are not part of ",
                                              path_, " (", size_, " bytes)."));
  }
  const uint64_t at = file_offset_ + offset;
  const size_t lead = LeadOf(at);
  const size_t mapped_size = lead + part.size();
  // No reserve, since pages that are never written need no memory.
  void* base = mmap(nullptr, mapped_size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_NORESERVE, descriptor_,
                    static_cast<off_t>(at - lead));
  if (base == MAP_FAILED) return SystemError("map", path_, errno);
  return std::shared_ptr<const PrivateMapping>(new PrivateMapping(
      base, mapped_size, {static_cast<uint8_t*>(base) + lead, part.size()}));
}

PrivateMapping::~PrivateMapping() { munmap(base_, mapped_size_); }

}  // namespace eyrie
