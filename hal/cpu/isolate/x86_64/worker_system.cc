// The instructions SYSCALL, LDMXCSR and CPUID.
#include "hal/cpu/isolate/worker_system.h"

#include <linux/audit.h>

namespace eyrie::hal::cpu::isolate {

const uint32_t kAuditMachine = AUDIT_ARCH_X86_64;

long System(long call, long a, long b, long c, long d, long e, long f) {
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

long Clone(uint64_t flags, uintptr_t top, void (*function)(uintptr_t),
           uintptr_t argument, int* file) {
  uintptr_t* const words = PushCall(top, function, argument);
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

void ContinueOn(uintptr_t top, void (*function)(uintptr_t),
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

uint32_t FloatStateNow() {
  constexpr uint32_t kPastExceptions = 0x3F;
  return __builtin_ia32_stmxcsr() & ~kPastExceptions;
}

void SetFloatState(uint32_t state) { __builtin_ia32_ldmxcsr(state); }

void ForgetInstructions() {
  uint32_t a = 0;
  __asm__ volatile("cpuid" : "+a"(a) : : "rbx", "rcx", "rdx", "memory");
}

}  // namespace eyrie::hal::cpu::isolate
