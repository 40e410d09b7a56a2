// System calls and instructions of the worker, which has no C library, and of
// its start, which must not use the host's. Each machine has its own file.
//
// Tested by isolate_test.cc.
#ifndef EYRIE_HAL_CPU_ISOLATE_WORKER_SYSTEM_H_
#define EYRIE_HAL_CPU_ISOLATE_WORKER_SYSTEM_H_

#include <sys/syscall.h>

#include <cstdint>

namespace eyrie::hal::cpu::isolate {

// The machine's name for filters of system calls: AUDIT_ARCH_….
extern const uint32_t kAuditMachine;

// Makes a system call. Returns the system's answer; from -4095 to -1 it is a
// negated errno.
long System(long call, long a = 0, long b = 0, long c = 0, long d = 0,
            long e = 0, long f = 0);

// Starts a thread or a process that shares this memory. It calls
// function(argument) on a stack that ends at `top`, which is aligned to 16
// bytes; the function must not return. `file` is for CLONE_PIDFD. Returns the
// system's answer.
long Clone(uint64_t flags, uintptr_t top, void (*function)(uintptr_t),
           uintptr_t argument, int* file = nullptr);

// Continues on another stack, which ends at `top`, aligned to 16 bytes.
[[noreturn]] void ContinueOn(uintptr_t top, void (*function)(uintptr_t),
                             uintptr_t argument);

// The floating-point state of this thread, for Command::float_state, without
// the marks of past exceptions. SetFloatState also makes this processor see
// code that was written since it ran a kernel, if that costs little.
uint32_t FloatStateNow();
void SetFloatState(uint32_t state);

// Makes this processor forget instructions that it read before.
void ForgetInstructions();

// Puts a function and its argument on the stack that ends at `top`, for the
// code that Clone continues with. Returns the stack's new end.
inline uintptr_t* PushCall(uintptr_t top, void (*function)(uintptr_t),
                           uintptr_t argument) {
  auto* const words = reinterpret_cast<uintptr_t*>(top) - 2;
  words[0] = reinterpret_cast<uintptr_t>(function);
  words[1] = argument;
  return words;
}

template <typename T>
long Word(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

inline bool IsError(long result) { return result < 0 && result >= -4095; }

[[noreturn]] inline void Exit(int code) {
  System(SYS_exit_group, code);
  __builtin_trap();  // a filter of the host refuses the call
}

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_WORKER_SYSTEM_H_
