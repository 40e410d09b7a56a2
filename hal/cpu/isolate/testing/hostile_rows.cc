#include "hal/cpu/isolate/testing/hostile_rows.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "hal/cpu/isolate/protocol.h"

namespace eyrie::hal::cpu::isolate {

uint64_t host_word = 7;

const char kPastDeadline[] =
    "DEADLINE_EXCEEDED: The device's work is stopped: the call takes longer "
    "than its limit of time (100ms). ('hostile' did not stop, so its isolated "
    "worker was ended)";

namespace {

constexpr char kImpossible[] = "it was ended because it wrote an impossible";

std::vector<HostileRow> SystemCallRows() {
  const auto self = static_cast<uint64_t>(getpid());
  const struct {
    const char* name;
    int number;
    uint64_t arguments[3];
  } kRows[] = {
      {"openat", SYS_openat, {0, 0, O_CREAT | O_RDWR}},
      {"read", SYS_read, {}},
      {"write", SYS_write, {1}},
      {"unlinkat", SYS_unlinkat, {}},
      {"socket", SYS_socket, {2, 1}},
      {"clone", SYS_clone, {SIGCHLD}},
      {"execve", SYS_execve, {}},
      {"ptrace", SYS_ptrace, {}},
      {"kill the host", SYS_kill, {self, SIGKILL}},
      {"ask for the parent", SYS_getppid, {}},
      {"map executable memory", SYS_mmap, {0, 4096, 7}},
      {"make code writable", SYS_mprotect, {0x401000, 4096, 7}},
      {"unmap code", SYS_munmap, {0x401000, 4096}},
      {"grow the heap", SYS_brk, {}},
      {"write the host's memory", SYS_process_vm_writev, {self}},
      {"io_uring", SYS_io_uring_setup, {}},
      {"handle signals", SYS_rt_sigaction, {SIGSEGV}},
      {"add a filter", SYS_seccomp, {}},
      {"change a futex's memory", SYS_futex, {0, 6}},
      {"end a thread", SYS_exit, {}},
  };
  std::vector<HostileRow> rows;
  for (const auto& row : kRows) {
    rows.push_back({row.name,
                    Calls(row.number, row.arguments[0], row.arguments[1],
                          row.arguments[2]),
                    absl::StrCat("SIGSYS: the system call ", row.number, " ")});
  }
  rows.push_back(
      {"end well", Calls(SYS_exit_group, 0), "it exited with code 0"});
  rows.push_back(
      {"end like a signal", Calls(SYS_exit_group, 1), "it exited with code 1"});
  return rows;
}

std::vector<HostileRow> CodeRows() {
  const auto word = reinterpret_cast<uintptr_t>(&host_word);
  const std::string at_word =
      absl::StrCat("SIGSEGV at address 0x", absl::Hex(word));
  return {
      {"read at null", Reads(0), "SIGSEGV at address 0x0 "},
      {"read the host", Reads(word), at_word},
      {"write the host", Writes(word), at_word},
      {"invalid instruction", Undefined(), "SIGILL"},
      {"spin", Spins(), kPastDeadline, true},
      {"sleep for ever", Sleeps(), kPastDeadline, true},
      {"failure", Returns(5),
       "INTERNAL: Dispatch 'hostile' failed with code 5.", true},
  };
}

std::vector<HostileRow> RingRows() {
  return {
      {"count too far", WritesOutput(offsetof(LaneOutput, done), 1000),
       kImpossible, true},
      {"count backwards", WritesOutput(offsetof(LaneOutput, done), ~0u - 5),
       kImpossible, true},
      {"another group's failure",
       WritesOutput(offsetof(LaneOutput, failed_group), 99), kPastDeadline,
       true},
      {"failure of no command", ForgesFailure(12345, 1), kImpossible, true},
      {"failure without a code", ForgesFailure(0, 0), kImpossible, true},
      {"forged signal", ForgesSignal(999), "SIGILL", true},
  };
}

}  // namespace

std::vector<HostileRow> JoinRows(
    std::initializer_list<std::vector<HostileRow>> groups) {
  std::vector<HostileRow> all;
  for (const auto& rows : groups) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

std::vector<HostileRow> HostileRows() {
  return JoinRows({SystemCallRows(), CodeRows(), RingRows(), MachineRows()});
}

}  // namespace eyrie::hal::cpu::isolate
