// Machine registers that have a fixed purpose in all compiled code.
#ifndef EYRIE_VM_JIT_PURPOSE_H_
#define EYRIE_VM_JIT_PURPOSE_H_

#include "asmjit/x86.h"

namespace eyrie::vm::jit {

// The machine's CompiledState, the frame, and the remaining fuel of the portion
// that was taken.
inline constexpr asmjit::x86::Gp kState = asmjit::x86::rbx;
inline constexpr asmjit::x86::Gp kFrame = asmjit::x86::rbp;
inline constexpr asmjit::x86::Gp kFuel = asmjit::x86::r15;

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_PURPOSE_H_
