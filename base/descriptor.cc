#include "base/descriptor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <time.h>

#include <cerrno>

namespace eyrie {
namespace {

// Calls `write_some` with the index of the next byte until all are written.
template <typename WriteSome>
uint64_t WriteWhole(int descriptor, uint64_t size, WriteSome write_some) {
  const FileSizeSignalBlock block;
  uint64_t done = 0;
  while (done < size) {
    const ssize_t written = write_some(done);
    if (written > 0) {
      done += static_cast<uint64_t>(written);
    } else if (written == 0) {
      errno = ENOSPC;
      break;
    } else if (errno == EAGAIN) {  // a pipe with O_NONBLOCK
      pollfd ready = {descriptor, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      break;
    }
  }
  return done;
}

sigset_t FileSizeSignal() {
  sigset_t signal;
  sigemptyset(&signal);
  sigaddset(&signal, SIGXFSZ);
  return signal;
}

}  // namespace

FileSizeSignalBlock::FileSizeSignalBlock() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return;
  }
  sigset_t pending;
  sigpending(&pending);
  active_ = sigismember(&pending, SIGXFSZ) == 0;
  const sigset_t signal = FileSizeSignal();
  if (active_) pthread_sigmask(SIG_BLOCK, &signal, &before_);
}

FileSizeSignalBlock::~FileSizeSignalBlock() {
  if (!active_) return;
  const int error = errno;
  const sigset_t signal = FileSizeSignal();
  const timespec now = {};
  sigtimedwait(&signal, nullptr, &now);  // consumes a pending one
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error;
}

uint64_t WriteAll(int descriptor, std::span<const uint8_t> bytes) {
  return WriteWhole(descriptor, bytes.size(), [&](uint64_t done) {
    return write(descriptor, bytes.data() + done, bytes.size() - done);
  });
}

uint64_t WriteAllAt(int descriptor, std::span<const uint8_t> bytes,
                    uint64_t offset) {
  return WriteWhole(descriptor, bytes.size(), [&](uint64_t done) {
    return pwrite(descriptor, bytes.data() + done, bytes.size() - done,
                  static_cast<off_t>(offset + done));
  });
}

bool FlushAsClose(int descriptor) {
  const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  return copy < 0 || close(copy) == 0;
}

}  // namespace eyrie
