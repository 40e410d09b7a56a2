// Machine registers that have a fixed purpose in all compiled code.
//
// Between instructions, x0 to x3, v0, v1 and v31 are free, and x16 and x17 also
// between the pieces of which code is made; machine.cc lists those that hold
// webs. x18 and x29 are not used, because the system and the ABI reserve them.
#ifndef EYRIE_VM_JIT_AARCH64_PURPOSE_H_
#define EYRIE_VM_JIT_AARCH64_PURPOSE_H_

#include <cstdint>

#include "asmjit/arm/a64assembler.h"

namespace eyrie::vm::jit {

namespace a64 = asmjit::a64;

// A general register, of 8 bytes if `wide`, else its lower half.
inline a64::Gp Integer(uint32_t id, bool wide = true) {
  if (wide) return a64::GpX(id);
  return a64::GpW(id);
}
inline a64::Vec Real(uint32_t id, bool wide = true) {
  if (wide) return a64::VecD(id);
  return a64::VecS(id);
}

// The machine's CompiledState, the frame, and the remaining fuel of the portion
// that was taken.
inline constexpr a64::GpX kState = a64::GpX(28);
inline constexpr a64::GpX kFrame = a64::GpX(27);
inline constexpr a64::GpX kFuel = a64::GpX(26);
// The address of Memory::Base::kPointer.
inline constexpr a64::GpX kPointer = a64::GpX(1);
// Holds an address or a constant during one or two instructions.
inline constexpr a64::GpX kNear = a64::GpX(16);
// Holds an offset that does not fit into an instruction (operands.h).
inline constexpr a64::GpX kFar = a64::GpX(17);
inline constexpr a64::GpX kLink = a64::GpX(30);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_AARCH64_PURPOSE_H_
