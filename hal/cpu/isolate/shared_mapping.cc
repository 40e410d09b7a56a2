// Copies the file of a mapping before fork(), and maps the copy in the child.
#include "hal/cpu/isolate/shared_mapping.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <vector>

namespace eyrie::hal::cpu::isolate {
namespace {

constexpr int kPrivate = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

// Copies the pages of a file that exist. The others read as zeros and stay
// absent. The worker cannot change the file's length.
void CopyPages(int file, uint8_t* to, off_t size) {
  off_t at = 0;
  while ((at = lseek(file, at, SEEK_DATA)) >= 0 && at < size) {
    const off_t hole = lseek(file, at, SEEK_HOLE);
    const off_t end = hole < 0 || hole > size ? size : hole;
    while (at < end) {
      const ssize_t count =
          pread(file, to + at, static_cast<size_t>(end - at), at);
      if (count <= 0) return;  // another thread has made the file shorter
      at += count;
    }
  }
}

}  // namespace

// All mappings of the process. A fork holds the mutex from begin to end, so
// forks on several threads copy one after another.
class MappingsAtFork {
 public:
  static void Add(SharedMapping* mapping) {
    static const int kHandlers =
        pthread_atfork(BeforeFork, GoOnInParent, GoOnInChild);
    static_cast<void>(kHandlers);
    const std::lock_guard<std::mutex> lock(mutex_);
    All().push_back(mapping);
  }
  static void Remove(SharedMapping* mapping) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase(All(), mapping);
  }

 private:
  static std::vector<SharedMapping*>& All() {
    static auto& all = *new std::vector<SharedMapping*>;
    return all;
  }
  static void BeforeFork() {
    mutex_.lock();
    for (SharedMapping* mapping : All()) mapping->Copy();
  }
  static void GoOnInParent() {
    for (SharedMapping* mapping : All()) mapping->FreeCopy();
    mutex_.unlock();
  }
  // Private mappings need nothing at the next fork.
  static void GoOnInChild() {
    for (SharedMapping* mapping : All()) mapping->UseCopy();
    All().clear();
    mutex_.unlock();
  }

  static inline std::mutex mutex_;
};

SharedMapping::SharedMapping(int file, void* data, uint64_t size)
    : file_(file), data_(data), size_(size) {
  MappingsAtFork::Add(this);
}

SharedMapping::~SharedMapping() {
  MappingsAtFork::Remove(this);
  munmap(data_, size_);
}

void SharedMapping::Copy() {
  struct stat state = {};
  if (fstat(file_, &state) != 0 || state.st_size == 0) return;
  const auto size = static_cast<uint64_t>(state.st_size);
  void* const copy =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, kPrivate, -1, 0);
  if (copy == MAP_FAILED) return;
  copy_ = copy;
  copied_ = size;
  CopyPages(file_, static_cast<uint8_t*>(copy), state.st_size);
}

void SharedMapping::FreeCopy() {
  if (copy_ != nullptr) munmap(copy_, copied_);
  copy_ = nullptr;
}

// Async-signal-safe. A child that shares memory with its parent must not
// continue.
void SharedMapping::UseCopy() {
  if (mmap(data_, size_, PROT_NONE, kPrivate | MAP_FIXED, -1, 0) ==
      MAP_FAILED) {
    std::abort();
  }
  if (copy_ == nullptr) return;
  mremap(copy_, copied_, copied_, MREMAP_MAYMOVE | MREMAP_FIXED, data_);
  copy_ = nullptr;
}

}  // namespace eyrie::hal::cpu::isolate
