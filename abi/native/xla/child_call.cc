#include "abi/native/xla/child_call.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <span>

#include "absl/strings/str_cat.h"
#include "base/deadline.h"
#include "base/descriptor.h"
#include "base/signal_name.h"
#include "base/status_macros.h"
#include "base/system_error.h"

namespace eyrie::native {
namespace {

constexpr size_t kMaxText = size_t{16} << 20;
// Exit codes of a child without its parent, and of one that returned a text.
// Code in the child that ends the process by itself uses others.
constexpr int kChildLost = 1;
constexpr int kChildReturned = 219;

struct Pipe {
  Descriptor read;
  Descriptor write;
};

absl::StatusOr<Pipe> OpenPipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return SystemError("open", "a pipe to a child process", errno);
  }
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// Reads to the end of the file.
absl::StatusOr<std::string> ReadAll(int file, Deadline deadline) {
  std::string text;
  char buffer[4096];
  while (true) {
    pollfd ready = {file, POLLIN, 0};
    const absl::Duration left = deadline.Left();
    if (left == absl::ZeroDuration()) {
      return absl::DeadlineExceededError("The child process took too long.");
    }
    const auto wait =
        absl::ToInt64Milliseconds(absl::Ceil(left, absl::Milliseconds(1)));
    if (::poll(&ready, 1, static_cast<int>(wait)) <= 0) continue;
    const ssize_t count = ::read(file, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("read", "a child process", errno);
    if (count == 0) return text;
    text.append(buffer, static_cast<size_t>(count));
    if (text.size() > kMaxText) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "The child process wrote more than ", kMaxText, " bytes."));
    }
  }
}

// Lets this process end with its parent, which may already have ended.
void EndWithParent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kChildLost);
}

// Lets the copy end quietly if it crashes: without the program's handlers of
// signals, a file of its memory, and text that the program has not written yet.
void EndQuietly() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT}) {
    ::signal(signal, SIG_DFL);
  }
  ::prctl(PR_SET_DUMPABLE, 0);
  ::__fpurge(stdout);
}

// Ends this process, a child, with its answer.
[[noreturn]] void EndChild(int pipe, const std::string& text) {
  WriteAll(pipe, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  ::_exit(kChildReturned);
}

// Waits for the process. Returns the error for one that did not end by
// EndChild.
absl::Status AwaitEnd(pid_t child) {
  int status = 0;
  int waited = 0;
  do {
    waited = ::waitpid(child, &status, 0);
  } while (waited < 0 && errno == EINTR);
  // The program ignores SIGCHLD, or waits for all its children.
  if (waited < 0) return absl::OkStatus();
  if (WIFSIGNALED(status)) {
    const char* const name = SignalName(WTERMSIG(status));
    return absl::AbortedError(absl::StrCat(
        "The child process was ended by the signal ",
        name == nullptr ? absl::StrCat(WTERMSIG(status)) : name, "."));
  }
  if (WEXITSTATUS(status) == kChildReturned) return absl::OkStatus();
  return absl::AbortedError(absl::StrCat(
      "The child process ended with exit code ", WEXITSTATUS(status), "."));
}

}  // namespace

absl::StatusOr<std::string> CallInChild(
    absl::Duration limit, const std::function<std::string()>& run) {
  ASSIGN_OR_RETURN(Pipe pipe, OpenPipe());
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return SystemError("start", "a child process", errno);
  if (child == 0) {
    EndWithParent(parent);
    EndQuietly();
    ::setpgid(0, 0);
    EndChild(pipe.write.get(), run());
  }
  ::setpgid(child, child);
  pipe.write.reset();
  absl::StatusOr<std::string> text =
      ReadAll(pipe.read.get(), Deadline::After(limit));
  // Also ends what the process has started.
  if (!text.ok()) ::kill(-child, SIGKILL);
  const absl::Status ended = AwaitEnd(child);
  RETURN_IF_ERROR(text);
  RETURN_IF_ERROR(ended);
  if (text->empty()) {
    return absl::AbortedError("The child process ended without an answer.");
  }
  return text;
}

}  // namespace eyrie::native
