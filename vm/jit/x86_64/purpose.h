// Machine registers that have a fixed purpose in all compiled code.
//
// Between instructions, rax, rcx, rdx, xmm0 and xmm1 are free; machine.cc lists
// those that hold webs.
#ifndef EYRIE_VM_JIT_X86_64_PURPOSE_H_
#define EYRIE_VM_JIT_X86_64_PURPOSE_H_

#include "asmjit/x86.h"

namespace eyrie::vm::jit {

namespace x86 = asmjit::x86;

// The machine's CompiledState, the frame, and the remaining fuel of the portion
// that was taken.
inline constexpr x86::Gp kState = x86::rbx;
inline constexpr x86::Gp kFrame = x86::rbp;
inline constexpr x86::Gp kFuel = x86::r15;
// The address of Memory::Base::kPointer.
inline constexpr x86::Gp kPointer = x86::rcx;

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_X86_64_PURPOSE_H_
