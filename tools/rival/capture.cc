#include "tools/rival/capture.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "absl/time/time.h"
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
  // process group of its own, so that the terminal's interrupt reaches only
  // this process, which passes it on.
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

// Signals to send, in order, to a program that must end, and how long to wait
// after each.
struct Step {
  int signal;
  absl::Duration patience;
};
constexpr std::array kSteps = {
    Step{SIGINT, absl::Seconds(2)},
    Step{SIGTERM, absl::Seconds(2)},
    Step{SIGKILL, absl::InfiniteDuration()},
};

// The run to kill when a signal ends this process; null: none.
std::atomic<const RunControl*> guarded = nullptr;

void KillAndEnd(int signal) {
  if (const RunControl* const control = guarded.load()) control->Kill();
  ::signal(signal, SIG_DFL);
  raise(signal);  // delivered when this handler returns
}

// While an object lives, fatal signals also kill the process group. Ignored
// signals stay ignored, and an interrupt that this process handles is left to
// its handler.
class EndGuard {
 public:
  explicit EndGuard(const RunControl& control) {
    guarded = &control;
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
    guarded = nullptr;
  }

 private:
  static constexpr std::array kSignals = {SIGTERM, SIGHUP, SIGQUIT, SIGINT};

  std::array<struct sigaction, kSignals.size()> before_ = {};
};

// Reports whether the process has ended. It stays a zombie until its exit code
// is read, so its process and group IDs are not reused before.
bool HasEnded(pid_t child) {
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(child), &info,
                WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == child;
}

// Waits until a process has ended. After an interrupt, sends it the signals of
// kSteps.
void AwaitEnd(pid_t child, const RunControl& control) {
  constexpr int kInterval = 100;     // ms until an interrupt is noticed
  constexpr int kShortInterval = 5;  // if pidfd_open is not available
  // Debian 12's header for pidfd_open cannot be included from C++.
  const long descriptor = syscall(SYS_pidfd_open, child, 0);
  pollfd file = {static_cast<int>(descriptor), POLLIN, 0};
  size_t step = 0;
  Deadline next = Deadline::Passed();
  while (!HasEnded(child)) {
    if (control.interrupted && step < kSteps.size() && next.HasPassed()) {
      kill(-child, kSteps[step].signal);
      next = Deadline::After(kSteps[step++].patience);
    }
    const bool has_file = file.fd >= 0;
    poll(&file, has_file ? 1 : 0, has_file ? kInterval : kShortInterval);
  }
  if (file.fd >= 0) close(file.fd);
}

// Runs the program to its end. Sets `status` as waitpid does. Returns an errno,
// or 0.
int RunToEnd(const SpawnOrders& orders, char* const* argv,
             char* const* environment, RunControl& control, int& status) {
  const EndGuard guard(control);
  pid_t child = 0;
  {
    // Blocks signals, so that a handler never runs between the start of the
    // child and the store of its ID.
    const SignalBlock block;
    const int error = posix_spawnp(&child, argv[0], orders.actions(),
                                   orders.attributes(), argv, environment);
    if (error != 0) return error;
    control.running = child;
  }
  AwaitEnd(child, control);
  // Also ends the processes that an interrupted program has started.
  if (control.interrupted) control.Kill();
  control.running = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return 0;
}

}  // namespace

void RunControl::Kill() const {
  const pid_t group = running;
  if (group > 0) kill(-group, SIGKILL);
}

absl::StatusOr<Captured> RunAndCapture(const std::vector<std::string>& command,
                                       RunControl& control) {
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
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    environment.push_back(*entry);
  }
  // An environment variable that Google Benchmark reads. If a name occurs
  // twice, the first counts.
  std::string format = "BENCHMARK_FORMAT=json";
  environment.push_back(format.data());
  environment.push_back(nullptr);
  int status = 0;
  const int error =
      RunToEnd(orders, argv.data(), environment.data(), control, status);
  if (error != 0) return SystemError("start", command[0], error);
  Captured captured;
  captured.exit_code =
      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  captured.output = output.Read();
  captured.errors = errors.Read();
  return captured;
}

}  // namespace eyrie::tools
