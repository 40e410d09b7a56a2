#include "plugins/pjrt/compiler/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/control_groups.h"
#include "base/deadline.h"
#include "base/signal_name.h"
#include "base/status_macros.h"
#include "plugins/pjrt/compiler/program_file.h"
#include "plugins/pjrt/compiler/protocol.h"
#include "plugins/pjrt/compiler/worker_image.h"

extern char** environ;

namespace eyrie::pjrt {
namespace {

absl::Status CannotStart(int error) {
  return absl::UnavailableError(
      absl::StrCat("The system does not start the compiler's process: ",
                   std::strerror(error), "."));
}

// Attributes for posix_spawn, freed by the destructor.
class SpawnOrders {
 public:
  SpawnOrders(int socket, int errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, socket, kSocketFile);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK |
                                               POSIX_SPAWN_SETSIGDEF |
                                               POSIX_SPAWN_SETSID);
  }
  SpawnOrders(const SpawnOrders&) = delete;
  SpawnOrders& operator=(const SpawnOrders&) = delete;
  ~SpawnOrders() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  // Returns an errno, or 0.
  int Spawn(const std::string& program, const std::string& library,
            pid_t& id) const {
    const std::string host = absl::StrCat(getpid());
    const char* const arguments[] = {"eyrie-compiler", library.c_str(),
                                     host.c_str(), nullptr};
    return posix_spawn(&id, program.c_str(), &actions_, &attributes_,
                       const_cast<char* const*>(arguments), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Starts the program from a temporary file.
absl::Status SpawnFromFolder(const SpawnOrders& orders,
                             const std::string& library, pid_t& id) {
  constexpr int kAttempts = 50;
  constexpr int kPauseMs = 10;
  ASSIGN_OR_RETURN(const ProgramFile program,
                   ProgramFile::InFolder(WorkerImage()));
  int error = 0;
  for (int i = 0; i < kAttempts; ++i) {
    error = orders.Spawn(program.path(), library, id);
    // A process that another thread starts has the file open for writing until
    // it executes its own program.
    if (error != ETXTBSY) break;
    poll(nullptr, 0, kPauseMs);
  }
  return error == 0 ? absl::OkStatus() : CannotStart(error);
}

}  // namespace

absl::StatusOr<ChildProcess> ChildProcess::Start(const std::string& library) {
  int sockets[2] = {-1, -1}, pipes[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    return CannotStart(errno);
  }
  ChildProcess child;
  child.socket_ = WithHighNumber(sockets[0]);
  const Descriptor socket = WithHighNumber(sockets[1]);
  if (pipe2(pipes, O_CLOEXEC) != 0) return CannotStart(errno);
  child.errors_ = WithHighNumber(pipes[0]);
  const Descriptor errors = WithHighNumber(pipes[1]);
  if (!child.socket_.is_open() || !socket.is_open() ||
      !child.errors_.is_open() || !errors.is_open()) {
    return CannotStart(errno);
  }
  fcntl(child.errors_.get(), F_SETFL, O_NONBLOCK);
  const SpawnOrders orders(socket.get(), errors.get());
  const absl::StatusOr<ProgramFile> program =
      ProgramFile::InMemory(WorkerImage());
  if (!program.ok() || orders.Spawn(program->path(), library, child.id_) != 0) {
    child.id_ = 0;
    RETURN_IF_ERROR(SpawnFromFolder(orders, library, child.id_));
  }
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : mark_(other.mark_),
      id_(std::exchange(other.id_, 0)),
      socket_(std::move(other.socket_)),
      errors_(std::move(other.errors_)) {}

ChildProcess::~ChildProcess() { WaitOrKill(absl::ZeroDuration()); }

bool ChildProcess::IsOurs() const {
  siginfo_t info = {};
  return id_ > 0 && !mark_.IsForked() &&
         waitid(P_PID, static_cast<id_t>(id_), &info,
                WEXITED | WNOHANG | WNOWAIT) == 0;
}

void ChildProcess::Kill() {
  if (!IsOurs()) return;
  kill(-id_, SIGKILL);
}

ProcessEnd ChildProcess::WaitOrKill(absl::Duration patience) {
  constexpr int kPauseMs = 2;
  ProcessEnd end;
  if (id_ <= 0 || mark_.IsForked()) return end;
  const Deadline deadline = Deadline::After(patience);
  siginfo_t info = {};
  bool is_killed = false;
  // It stays a zombie until the group has been killed, so that the ID is not
  // that of another one.
  while (waitid(P_PID, static_cast<id_t>(id_), &info,
                WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0) {
    is_killed = deadline.HasPassed();
    if (is_killed) break;
    poll(nullptr, 0, kPauseMs);
  }
  Kill();
  int waited = 0;
  do {
    waited = waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED);
  } while (waited != 0 && errno == EINTR);
  id_ = 0;
  if (waited != 0 || is_killed) return end;
  (info.si_code == CLD_EXITED ? end.code : end.signal) = info.si_status;
  return end;
}

uint64_t ChildProcess::ResidentBytes() const {
  if (!IsOurs()) return 0;
  const auto text = ReadSystemText(absl::StrCat("/proc/", id_, "/statm"));
  const std::vector<std::string> fields =
      absl::StrSplit(text.value_or(""), ' ', absl::SkipEmpty());
  uint64_t pages = 0;
  if (fields.size() < 2 || !absl::SimpleAtoi(fields[1], &pages)) return 0;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string EndText(const ProcessEnd& end) {
  if (end.signal != 0) {
    const char* const name = SignalName(end.signal);
    return absl::StrCat("was ended by signal ", end.signal,
                        name == nullptr ? "" : absl::StrCat(" (", name, ")"));
  }
  if (end.code >= 0) return absl::StrCat("exited with code ", end.code);
  return "ended, and the system does not say how";
}

}  // namespace eyrie::pjrt
