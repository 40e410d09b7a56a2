// Starts a process that shares the caller's memory until it executes the
// program, so that a large host is not copied.
#include "hal/cpu/isolate/spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "hal/cpu/isolate/protocol.h"
#include "hal/cpu/isolate/worker_system.h"

namespace eyrie::hal::cpu::isolate {
namespace {

constexpr uint64_t kNamespaces = CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWPID |
                                 CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNS |
                                 CLONE_NEWCGROUP;

// The child's errors, in memory that both processes see.
struct Attempt {
  const WorkerFiles* files;
  long error = 0;  // a negated errno
};

// The child's code. It must not use the C library, whose data are the parent's.
void Execute(uintptr_t argument) {
  auto* const attempt = reinterpret_cast<Attempt*>(argument);
  const WorkerFiles& files = *attempt->files;
  const char* const arguments[] = {"eyrie-worker", nullptr};
  const char* const environment[] = {nullptr};
  long result = System(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  // Signals of the host's terminal are not for the worker.
  if (result >= 0) result = System(SYS_setsid);
  if (result >= 0) result = System(SYS_dup3, files.control, kControlFile, 0);
  if (result >= 0) result = System(SYS_dup3, files.code, kCodeFile, 0);
  if (result >= 0) result = System(SYS_dup3, files.data, kDataFile, 0);
  if (result >= 0) result = System(SYS_dup3, files.host, kHostFile, 0);
  if (result >= 0) {
    result = System(SYS_execveat, files.program, Word(""), Word(arguments),
                    Word(environment), AT_EMPTY_PATH);
  }
  attempt->error = result;
  while (true) System(SYS_exit, 127);
}

}  // namespace

absl::StatusOr<Spawned> SpawnWorker(const WorkerFiles& files) {
  constexpr size_t kStack = 64 * 1024;
  constexpr uint64_t kFlags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD;
  const std::unique_ptr<uint8_t[]> stack(new (std::nothrow) uint8_t[kStack]);
  if (stack == nullptr) {
    return absl::ResourceExhaustedError(
        "There is no memory to start an isolated worker.");
  }
  const auto top =
      reinterpret_cast<uintptr_t>(stack.get() + kStack) & ~uintptr_t{63};
  long result = 0;
  for (const uint64_t namespaces : {kNamespaces, uint64_t{0}}) {
    Attempt attempt = {&files};
    int file = -1;
    result = Clone(kFlags | namespaces, top, Execute,
                   reinterpret_cast<uintptr_t>(&attempt), &file);
    if (result < 0) continue;
    Descriptor process(file);
    if (attempt.error == 0) {
      return Spawned{std::move(process), static_cast<int>(result)};
    }
    siginfo_t info;
    waitid(P_PIDFD, static_cast<id_t>(file), &info, WEXITED);
    result = attempt.error;
  }
  return absl::UnavailableError(
      absl::StrCat("The system does not start an isolated worker: ",
                   std::strerror(static_cast<int>(-result)), "."));
}

}  // namespace eyrie::hal::cpu::isolate
