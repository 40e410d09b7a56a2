// An open file, and writes to it that end whole or with an error.
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

// Owns a descriptor and closes it. -1 is none.
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

// While it lives, writing beyond the process's limit of a file's size
// (RLIMIT_FSIZE) on this thread is the error EFBIG; otherwise the system also
// sends SIGXFSZ, which ends the process. Keeps errno.
class FileSizeSignalBlock {
 public:
  FileSizeSignalBlock();
  FileSizeSignalBlock(const FileSizeSignalBlock&) = delete;
  FileSizeSignalBlock& operator=(const FileSizeSignalBlock&) = delete;
  ~FileSizeSignalBlock();

 private:
  bool active_ = false;  // there is such a limit, and no such signal waits
  sigset_t before_;
};

// Writes all bytes where the descriptor is, or at an offset, in one system call
// unless the system takes fewer. Returns the number of bytes that were written:
// fewer than all after an error, which is in errno.
uint64_t WriteAll(int descriptor, std::span<const uint8_t> bytes);
uint64_t WriteAllAt(int descriptor, std::span<const uint8_t> bytes,
                    uint64_t offset);

// Reports an error that a file system keeps until the file is closed, as NFS
// does. The descriptor stays open. False: errno has the error.
bool FlushAsClose(int descriptor);

}  // namespace eyrie

#endif  // EYRIE_BASE_DESCRIPTOR_H_
