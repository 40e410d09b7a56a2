// System calls of the worker, which has no C library, and of its start, which
// must not use the host's. x86-64.
//
// Tested by ../isolate_test.cc.
#ifndef EYRIE_HAL_CPU_ISOLATE_X86_64_WORKER_SYSTEM_H_
#define EYRIE_HAL_CPU_ISOLATE_X86_64_WORKER_SYSTEM_H_

#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>

namespace eyrie::hal::cpu::isolate {

// Returns the system's answer; from -4095 to -1 it is a negated errno.
inline long System(long call, long a = 0, long b = 0, long c = 0, long d = 0,
                   long e = 0, long f = 0) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(call), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
                     "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

template <typename T>
long Word(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

inline bool IsError(long result) { return result < 0 && result >= -4095; }

[[noreturn]] inline void Exit(int code) {
  while (true) {
    System(SYS_exit_group, code);
    __asm__ volatile("ud2");  // a filter of the host refuses the call
  }
}

// Starts a thread or a process that shares this memory. It calls
// function(argument) on a stack that ends at `top`; the function must not
// return. `file` is for CLONE_PIDFD. Returns the system's answer.
inline long Clone(uint64_t flags, uintptr_t top, void (*function)(uintptr_t),
                  uintptr_t argument, int* file = nullptr) {
  auto* const words = reinterpret_cast<uintptr_t*>(top) - 2;
  words[0] = reinterpret_cast<uintptr_t>(function);
  words[1] = argument;
  long result;
  register long r10 __asm__("r10") = 0;
  register long r8 __asm__("r8") = 0;
  __asm__ volatile(
      "syscall\n"
      "test %%rax, %%rax\n"
      "jnz 1f\n"
      "xor %%ebp, %%ebp\n"
      "pop %%rax\n"
      "pop %%rdi\n"
      "call *%%rax\n"
      "ud2\n"
      "1:"
      : "=a"(result)
      : "a"(long{SYS_clone}), "D"(flags), "S"(words), "d"(file), "r"(r10),
        "r"(r8)
      : "rcx", "r11", "memory");
  return result;
}

// Continues on another stack, which ends at `top`.
[[noreturn]] inline void ContinueOn(uintptr_t top, void (*function)(uintptr_t),
                                    uintptr_t argument) {
  __asm__ volatile(
      "mov %0, %%rsp\n"
      "xor %%ebp, %%ebp\n"
      "call *%1\n"
      "ud2"
      :
      : "r"(top), "r"(function), "D"(argument)
      : "memory");
  __builtin_unreachable();
}

inline void SetFloatState(uint32_t state) {
  __asm__ volatile("ldmxcsr %0" : : "m"(state));
}

// Makes this processor forget instructions that it read before.
inline void ForgetInstructions() {
  uint32_t a = 0;
  __asm__ volatile("cpuid" : "+a"(a) : : "rbx", "rcx", "rdx", "memory");
}

inline void Pause() { __builtin_ia32_pause(); }

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_X86_64_WORKER_SYSTEM_H_
