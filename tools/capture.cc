#include "tools/capture.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/deadline.h"
#include "base/signal_block.h"
#include "base/status_macros.h"
#include "base/system_error.h"

extern char** environ;

namespace eyrie::tools {
namespace {

// An anonymous file in memory.
class MemoryFile {
 public:
  MemoryFile() : file_(memfd_create("output", MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() {
    if (file_ >= 0) close(file_);
  }

  int file() const { return file_; }

  std::string Read() const {
    const off_t end = lseek(file_, 0, SEEK_END);
    std::string text(
        std::min(end < 0 ? 0 : static_cast<size_t>(end), kMaxOutput), '\0');
    size_t done = 0;
    while (done < text.size()) {
      const ssize_t got = pread(file_, text.data() + done, text.size() - done,
                                static_cast<off_t>(done));
      if (got <= 0) break;
      done += static_cast<size_t>(got);
    }
    text.resize(done);
    return text;
  }

 private:
  const int file_;
};

// Attributes for posix_spawn, freed by the destructor.
class SpawnOrders {
 public:
  SpawnOrders() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  SpawnOrders(const SpawnOrders&) = delete;
  SpawnOrders& operator=(const SpawnOrders&) = delete;
  ~SpawnOrders() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  // Sets the standard streams and unblocks all signals. The child gets a
  // process group of its own, which also has the processes that it starts.
  void Prepare(const MemoryFile& output, const MemoryFile& errors) {
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output.file(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, errors.file(), STDERR_FILENO);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// The process, and process group, to kill when a signal ends this process;
// 0: none.
std::atomic<pid_t> running = 0;

void KillAndEnd(int signal) {
  const pid_t group = running;
  if (group > 0) kill(-group, SIGKILL);
  ::signal(signal, SIG_DFL);
  raise(signal);  // delivered when this handler returns
}

// While an object lives, fatal signals also kill the process group. Ignored
// signals stay ignored, and an interrupt that this process handles is left to
// its handler.
class EndGuard {
 public:
  EndGuard() {
    struct sigaction action = {};
    action.sa_handler = &KillAndEnd;
    for (size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], nullptr, &before_[i]);
      const bool ends = kSignals[i] == SIGINT
                            ? before_[i].sa_handler == SIG_DFL
                            : before_[i].sa_handler != SIG_IGN;
      if (!ends) continue;
      sigaction(kSignals[i], &action, nullptr);
    }
  }
  EndGuard(const EndGuard&) = delete;
  EndGuard& operator=(const EndGuard&) = delete;
  ~EndGuard() {
    for (size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], &before_[i], nullptr);
    }
  }

 private:
  static constexpr std::array kSignals = {SIGTERM, SIGHUP, SIGQUIT, SIGINT};

  std::array<struct sigaction, kSignals.size()> before_ = {};
};

// Reports whether the child has ended; it remains a zombie. Waits for its end
// unless `options` is WNOHANG.
bool HasEnded(pid_t child, int options) {
  siginfo_t info = {};
  while (waitid(P_PID, static_cast<id_t>(child), &info,
                WEXITED | WNOWAIT | options) != 0) {
    if (errno != EINTR) return true;
  }
  return info.si_pid != 0;
}

absl::Status CheckLimits(const CaptureLimits& limits, Deadline deadline) {
  if (limits.stop != nullptr && *limits.stop) {
    return absl::CancelledError("interrupted");
  }
  if (!deadline.HasPassed()) return absl::OkStatus();
  return absl::DeadlineExceededError(absl::StrCat(
      "not finished after ", absl::FormatDuration(limits.timeout)));
}

// Waits until the child has ended, and ends it at a limit. Returns the limit's
// error.
absl::Status AwaitEnd(pid_t child, const CaptureLimits& limits) {
  constexpr int kIntervalMs = 10;
  constexpr absl::Duration kGrace = absl::Seconds(2);
  if (limits.stop == nullptr && limits.timeout == absl::InfiniteDuration()) {
    HasEnded(child, 0);
    return absl::OkStatus();
  }
  const Deadline deadline = Deadline::After(limits.timeout);
  Deadline grace = Deadline::Never();
  absl::Status reached;
  while (!HasEnded(child, WNOHANG)) {
    if (grace.HasPassed()) kill(-child, SIGKILL);
    if (reached.ok()) {
      reached = CheckLimits(limits, deadline);
      if (!reached.ok()) {
        kill(-child, SIGTERM);
        grace = Deadline::After(kGrace);
      }
    }
    poll(nullptr, 0, kIntervalMs);
  }
  if (!reached.ok()) kill(-child, SIGKILL);  // what the program started
  return reached;
}

// Runs the program to its end. Sets `status` as waitpid does.
absl::Status RunToEnd(const SpawnOrders& orders, char* const* argv,
                      const CaptureLimits& limits, int& status) {
  const EndGuard guard;
  pid_t child = 0;
  {
    // Blocks signals, so that a handler never runs between the start of the
    // child and the store of its ID.
    const SignalBlock block;
    const int error = posix_spawnp(&child, argv[0], orders.actions(),
                                   orders.attributes(), argv, environ);
    if (error != 0) return SystemError("start", argv[0], error);
    running = child;
  }
  // The process stays a zombie until its exit code is read, so that its IDs are
  // not those of another process while a handler may use them.
  absl::Status reached = AwaitEnd(child, limits);
  running = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return reached;
}

}  // namespace

absl::StatusOr<Captured> RunAndCapture(const std::vector<std::string>& command,
                                       const CaptureLimits& limits) {
  const MemoryFile output;
  const MemoryFile errors;
  if (output.file() < 0 || errors.file() < 0) {
    return SystemError("make a file in memory for", command[0], errno);
  }
  SpawnOrders orders;
  orders.Prepare(output, errors);
  std::vector<char*> argv;
  for (const std::string& argument : command) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  int status = 0;
  RETURN_IF_ERROR(RunToEnd(orders, argv.data(), limits, status));
  Captured captured;
  captured.exit_code =
      WIFEXITED(status) ? WEXITSTATUS(status) : kSignalCode + WTERMSIG(status);
  captured.output = output.Read();
  captured.errors = errors.Read();
  return captured;
}

}  // namespace eyrie::tools
