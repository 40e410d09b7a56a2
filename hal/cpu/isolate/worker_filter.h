// The system calls that an isolated worker may make: waiting on a futex, waking
// others that wait, and ending.
//
// The worker has no C library, so this needs none. Tested by
// worker_filter_test.cc.
#ifndef EYRIE_HAL_CPU_ISOLATE_WORKER_FILTER_H_
#define EYRIE_HAL_CPU_ISOLATE_WORKER_FILTER_H_

#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace eyrie::hal::cpu::isolate {

// The numbers of a machine.
struct FilterNumbers {
  uint32_t architecture;  // AUDIT_ARCH_…
  uint32_t exit_group;
  uint32_t futex;
};

// Returns a program for seccomp. It permits FUTEX_WAIT, FUTEX_WAKE and
// exit_group. Other calls raise SIGSYS; calls of another architecture end the
// process.
constexpr auto WorkerFilter(const FilterNumbers& numbers) {
  constexpr uint32_t kCall = offsetof(seccomp_data, nr);
  constexpr uint32_t kArch = offsetof(seccomp_data, arch);
  constexpr uint32_t kOperation = offsetof(seccomp_data, args[1]);
  static_assert(FUTEX_WAIT == 0 && FUTEX_WAKE == 1);
  return std::to_array<sock_filter>({
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kArch),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, numbers.architecture, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kCall),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, numbers.exit_group, 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, numbers.futex, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kOperation),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, FUTEX_WAKE, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  });
}

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_WORKER_FILTER_H_
