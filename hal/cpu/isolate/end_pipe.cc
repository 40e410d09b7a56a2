#include "hal/cpu/isolate/end_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "hal/cpu/isolate/shared_heap.h"

namespace eyrie::hal::cpu::isolate {
namespace {

absl::Status Refused(const char* what) {
  return absl::UnavailableError(absl::StrCat(
      "The system does not ", what,
      " a pipe to end an isolated worker: ", std::strerror(errno), "."));
}

}  // namespace

absl::StatusOr<EndPipe> EndPipe::Create() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return Refused("create");
  EndPipe pipe;
  pipe.reader_ = WithHighNumber(ends[0]);
  pipe.writer_ = WithHighNumber(ends[1]);
  if (!pipe.reader_.is_open() || !pipe.writer_.is_open()) {
    return Refused("number");
  }
  return pipe;
}

absl::Status EndPipe::Bind(int id, int process) {
  // When this process ends, the system closes either end first, and tells the
  // other one's process.
  for (const Descriptor* end : {&reader_, &writer_}) {
    if (fcntl(end->get(), F_SETOWN, id) != 0) {
      if (errno == ESRCH) break;  // The process has ended, and was waited for.
      return Refused("bind");
    }
    if (fcntl(end->get(), F_SETFL, O_ASYNC | O_NONBLOCK) != 0) {
      return Refused("bind");
    }
  }
  // If the process has ended, its number may be another's by now.
  pollfd ended = {process, POLLIN, 0};
  if (poll(&ended, 1, 0) == 0) return absl::OkStatus();
  for (const Descriptor* end : {&reader_, &writer_}) {
    fcntl(end->get(), F_SETOWN, 0);
  }
  return absl::OkStatus();
}

void EndPipe::Use() const {
  // If the pipe is full, the signal has been sent.
  if (writer_.is_open()) (void)!write(writer_.get(), "", 1);
}

}  // namespace eyrie::hal::cpu::isolate
