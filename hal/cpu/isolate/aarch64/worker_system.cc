// The instructions SVC and ISB, and the register FPCR.
#include "hal/cpu/isolate/worker_system.h"

#include <linux/audit.h>

namespace eyrie::hal::cpu::isolate {

const uint32_t kAuditMachine = AUDIT_ARCH_AARCH64;

long System(long call, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = call;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc #0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
}

long Clone(uint64_t flags, uintptr_t top, void (*function)(uintptr_t),
           uintptr_t argument, int* file) {
  uintptr_t* const words = PushCall(top, function, argument);
  register long x8 __asm__("x8") = SYS_clone;
  register long x0 __asm__("x0") = static_cast<long>(flags);
  register long x1 __asm__("x1") = Word(words);
  register long x2 __asm__("x2") = Word(file);
  register long x3 __asm__("x3") = 0;
  register long x4 __asm__("x4") = 0;
  __asm__ volatile(
      "svc #0\n"
      "cbnz x0, 1f\n"
      "mov x29, xzr\n"
      "ldp x1, x0, [sp], #16\n"
      "blr x1\n"
      "brk #0\n"
      "1:"
      : "+r"(x0), "+r"(x1)
      : "r"(x8), "r"(x2), "r"(x3), "r"(x4)
      : "memory");
  return x0;
}

void ContinueOn(uintptr_t top, void (*function)(uintptr_t),
                uintptr_t argument) {
  register uintptr_t x0 __asm__("x0") = argument;
  __asm__ volatile(
      "mov sp, %0\n"
      "mov x29, xzr\n"
      "blr %1\n"
      "brk #0"
      :
      : "r"(top), "r"(function), "r"(x0)
      : "memory");
  __builtin_unreachable();
}

uint32_t FloatStateNow() {
  uint64_t state;
  __asm__ volatile("mrs %0, fpcr" : "=r"(state));
  return static_cast<uint32_t>(state);  // past exceptions are in fpsr
}

void SetFloatState(uint32_t state) {
  __asm__ volatile("msr fpcr, %0" : : "r"(uint64_t{state}));
  ForgetInstructions();
}

void ForgetInstructions() { __asm__ volatile("isb" : : : "memory"); }

}  // namespace eyrie::hal::cpu::isolate
