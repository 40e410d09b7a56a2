#include "vm/jit/code_memory.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/fork_gate.h"
#include "base/status_macros.h"
#include "vm/jit/machine_code.h"

namespace eyrie::vm::jit {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kChunk = size_t{256} << 10;
constexpr size_t kMaxSpareChunks = 16;

constexpr size_t Align(size_t size, size_t to) {
  return (size + to - 1) / to * to;
}

// Reports whether the process may write files of this size. If it may not, an
// attempt would raise SIGXFSZ. Async-signal-safe.
bool MayBeSoLong(size_t size) {
  rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && size <= limit.rlim_cur;
}

// Newer kernels require a flag for executable files; older ones reject the
// flag.
int EmptyFile() {
  constexpr unsigned kExecutable = 0x10;
  const int file = memfd_create("eyrie-code", MFD_CLOEXEC | kExecutable);
  if (file >= 0 || errno != EINVAL) return file;
  return memfd_create("eyrie-code", MFD_CLOEXEC);
}

// Creates an anonymous file. Returns -1 if there is not enough memory.
// Async-signal-safe.
int AnonymousFile(size_t size) {
  const int file = MayBeSoLong(size) ? EmptyFile() : -1;
  if (file < 0 || ftruncate(file, static_cast<off_t>(size)) == 0) return file;
  close(file);
  return -1;
}

// Maps a file at `at`, replacing the mapping there, or anywhere if `at` is
// null. Async-signal-safe.
void* Map(int file, size_t size, bool takes_breakpoints, void* at) {
  const int flags = (takes_breakpoints ? MAP_PRIVATE : MAP_SHARED) |
                    (at == nullptr ? 0 : MAP_FIXED);
  return mmap(at, size, PROT_READ | PROT_EXEC, flags, file, 0);
}

// Async-signal-safe.
bool WriteAll(int file, size_t offset, const uint8_t* code, size_t size) {
  if (!MayBeSoLong(offset + size)) return false;
  while (size > 0) {
    const ssize_t written =
        pwrite(file, code, size, static_cast<off_t>(offset));
    if (written <= 0) {
      if (written < 0 && errno == EINTR) continue;
      return false;
    }
    offset += static_cast<size_t>(written);
    code += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

}  // namespace

// The list of all chunks of the process. After a fork, children copy them,
// because otherwise parent and child would write to the same file. A fork waits
// while other threads compile.
class ForkedChunks {
 public:
  static void Add(CodeChunk* chunk) {
    static const int kHandlers =
        pthread_atfork(BeforeFork, GoOnInParent, GoOnInChild);
    static_cast<void>(kHandlers);
    const std::lock_guard<std::mutex> lock(mutex_);
    chunk->next_ = first_;
    if (first_ != nullptr) first_->previous_ = chunk;
    first_ = chunk;
  }
  static void Remove(CodeChunk* chunk) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (chunk->next_ != nullptr) chunk->next_->previous_ = chunk->previous_;
    (chunk->previous_ == nullptr ? first_ : chunk->previous_->next_) =
        chunk->next_;
  }

 private:
  static void BeforeFork() {
    ForkGate().lock();
    mutex_.lock();
  }
  // The child may not have copied the files yet.
  static void GoOnInParent() {
    for (CodeChunk* chunk = first_; chunk != nullptr; chunk = chunk->next_) {
      chunk->forked_.store(true, std::memory_order_relaxed);
    }
    mutex_.unlock();
    ForkGate().unlock();
  }
  // A child that shares code memory with its parent must not continue.
  static void GoOnInChild() {
    for (CodeChunk* chunk = first_; chunk != nullptr; chunk = chunk->next_) {
      if (!chunk->CopyInChild()) std::abort();
    }
    mutex_.unlock();
    ForkGate().unlock();
  }

  static inline std::mutex mutex_;
  static inline CodeChunk* first_ = nullptr;
};

CodeChunk::CodeChunk(int file, uint8_t* code, size_t size,
                     bool takes_breakpoints)
    : file_(file),
      code_(code),
      size_(size),
      takes_breakpoints_(takes_breakpoints) {
  ForkedChunks::Add(this);
}

bool CodeChunk::MapAgain() const {
  return Map(file_, size_, takes_breakpoints_, code_) != MAP_FAILED;
}

// The mapping remains valid until it is replaced, even if the file is closed.
bool CodeChunk::CopyInChild() {
  close(file_);
  forked_.store(false, std::memory_order_relaxed);
  file_ = AnonymousFile(size_);
  if (file_ < 0 || !WriteAll(file_, 0, code_, size_) || !MapAgain()) {
    return false;
  }
  PublishCode(code_, size_);
  return true;
}

absl::StatusOr<std::unique_ptr<CodeChunk>> CodeChunk::Create(
    size_t size, bool takes_breakpoints) {
  if (!MayBeSoLong(size)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("The limit on the size of files is less than the ", size,
                     " bytes that are needed for code."));
  }
  const int file = AnonymousFile(size);
  if (file < 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("Cannot allocate ", size, " bytes of memory for code."));
  }
  void* code = Map(file, size, takes_breakpoints, nullptr);
  if (code == MAP_FAILED) {
    close(file);
    return absl::PermissionDeniedError(
        "The system does not allow executable memory.");
  }
  return std::unique_ptr<CodeChunk>(new CodeChunk(
      file, static_cast<uint8_t*>(code), size, takes_breakpoints));
}

CodeChunk::~CodeChunk() {
  ForkedChunks::Remove(this);
  munmap(code_, size_);
  close(file_);
}

absl::Status CodeChunk::Write(size_t offset, const uint8_t* code,
                              size_t size) const {
  if (!WriteAll(file_, offset, code, size)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("Cannot write ", size, " bytes of code."));
  }
  PublishCode(code_ + offset, size);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<CodeChunk>> CodePool::Take(size_t size) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (size > kChunk) return CodeChunk::Create(Align(size, kPage));
  while (!chunks_.empty() && chunks_.back()->forked()) chunks_.pop_back();
  if (chunks_.empty()) return CodeChunk::Create(kChunk);
  std::unique_ptr<CodeChunk> chunk = std::move(chunks_.back());
  chunks_.pop_back();
  if (MapsReusedCodeAgain() && !chunk->MapAgain()) {
    return CodeChunk::Create(kChunk);
  }
  return chunk;
}

void CodePool::Return(std::unique_ptr<CodeChunk> chunk) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (chunk->size() == kChunk && !chunk->takes_breakpoints() &&
      !chunk->forked() && chunks_.size() < kMaxSpareChunks) {
    chunks_.push_back(std::move(chunk));
  }
}

CodeMemory::~CodeMemory() {
  for (std::unique_ptr<CodeChunk>& chunk : chunks_) {
    pool_->Return(std::move(chunk));
  }
}

absl::StatusOr<const uint8_t*> CodeMemory::Reserve(size_t size) {
  if (chunks_.empty() || chunks_.back()->size() - used_ < size) {
    ASSIGN_OR_RETURN(
        std::unique_ptr<CodeChunk> chunk,
        takes_breakpoints_
            ? CodeChunk::Create(Align(size, kPage), /*takes_breakpoints=*/true)
            : pool_->Take(size));
    chunks_.push_back(std::move(chunk));
    used_ = 0;
  }
  return chunks_.back()->code() + used_;
}

// Later writes to a page in which a breakpoint was set are not visible, so with
// breakpoints each piece of code starts on a new page.
absl::StatusOr<const uint8_t*> CodeMemory::Publish(const uint8_t* code,
                                                   size_t size) {
  ASSIGN_OR_RETURN(const uint8_t* place, Reserve(size));
  const CodeChunk& chunk = *chunks_.back();
  RETURN_IF_ERROR(chunk.Write(used_, code, size));
  used_ = takes_breakpoints_
              ? chunk.size()
              : std::min(chunk.size(), Align(used_ + size, kAlignment));
  return place;
}

}  // namespace eyrie::vm::jit
