// Owns an open file, and writes all of a buffer to it or fails.
//
// Tested by file_writer_test.cc.
#ifndef EYRIE_BASE_DESCRIPTOR_H_
#define EYRIE_BASE_DESCRIPTOR_H_

#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <span>
#include <utility>

namespace eyrie {

// Owns a file descriptor and closes it. -1 means that it owns none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  int release() { return std::exchange(number_, -1); }
  void reset(int number = -1) {
    if (number_ >= 0) close(number_);
    number_ = number;
  }

 private:
  int number_ = -1;
};

// During its lifetime, a write beyond the process's limit for file sizes
// (RLIMIT_FSIZE) on this thread only fails with EFBIG. Without it, the system
// also sends SIGXFSZ, which ends the process. Preserves errno.
class FileSizeSignalBlock {
 public:
  FileSizeSignalBlock();
  FileSizeSignalBlock(const FileSizeSignalBlock&) = delete;
  FileSizeSignalBlock& operator=(const FileSizeSignalBlock&) = delete;
  ~FileSizeSignalBlock();

 private:
  bool active_ = false;  // a limit is set, and SIGXFSZ was not pending
  sigset_t before_;
};

// Writes all bytes at the descriptor's position, or at `offset`. Needs one
// system call unless the system writes only a part. Returns the number of bytes
// written. If it is less than all, errno has the error.
uint64_t WriteAll(int descriptor, std::span<const uint8_t> bytes);
uint64_t WriteAllAt(int descriptor, std::span<const uint8_t> bytes,
                    uint64_t offset);

// Makes the file system report errors that it holds back until a file is
// closed, as NFS does. The descriptor stays open. If it returns false, errno
// has the error.
bool FlushAsClose(int descriptor);

}  // namespace eyrie

#endif  // EYRIE_BASE_DESCRIPTOR_H_
