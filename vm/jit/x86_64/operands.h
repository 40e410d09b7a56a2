// The homes of numbers as operands of instructions (homes.h).
#ifndef EYRIE_VM_JIT_X86_64_OPERANDS_H_
#define EYRIE_VM_JIT_X86_64_OPERANDS_H_

#include <cstddef>
#include <cstdint>

#include "vm/jit/references.h"
#include "vm/jit/x86_64/purpose.h"

namespace eyrie::vm::jit {

inline x86::Assembler& AssemblerOf(Assembly& code) {
  return static_cast<x86::Assembler&>(code.assembler());
}
inline x86::Gp Sized(const x86::Gp& reg, bool wide) {
  return wide ? x86::Gp(x86::gpq(reg.id())) : x86::Gp(x86::gpd(reg.id()));
}
inline x86::Mem OperandOf(const Memory& at) {
  const x86::Gp& base = at.base == Memory::Base::kFrame    ? kFrame
                        : at.base == Memory::Base::kState  ? kState
                        : at.base == Memory::Base::kObject ? x86::rax
                                                           : kPointer;
  return x86::Mem(base, static_cast<int32_t>(at.offset), at.wide ? 8 : 4);
}

class Operands : public References {
 public:
  explicit Operands(Assembly& code) : References(code), a_(AssemblerOf(code)) {}

  static x86::Mem State(size_t offset, uint32_t size) {
    return x86::Mem(kState, static_cast<int32_t>(offset), size);
  }
  x86::Mem FrameOperand(const Access& access) const {
    return OperandOf(FrameAt(access.slot, access.wide));
  }
  x86::Mem RefOperand(uint32_t index) const { return OperandOf(RefAt(index)); }

  // Return a register with the value: the web's own, or `scratch`.
  x86::Gp Integer(const Access& access, const x86::Gp& scratch) {
    return Sized(x86::gpq(IntegerIn(access, IdOf(scratch))), access.wide);
  }
  x86::Xmm Float(const Access& access, const x86::Xmm& scratch) {
    return x86::xmm(FloatIn(access, IdOf(scratch)));
  }
  // Return the value as the last operand of an instruction: a register, memory
  // or a small constant.
  asmjit::Operand IntegerOperand(const Access& access, const x86::Gp& scratch);
  asmjit::Operand FloatOperand(const Access& access, const x86::Xmm& scratch);
  // Reports whether the value is a constant that fits into an instruction.
  bool IsSmall(const Access& access, int64_t* value) const;
  x86::Mem ConstantAt(uint64_t bits, bool wide) {
    return x86::ptr(code_.constants().LabelOf(bits, wide, a_), 0, wide ? 8 : 4);
  }

  // Return the register for a result; IntegerDone or FloatDone must follow.
  x86::Gp IntegerOut(const Access& access, const x86::Gp& scratch) const {
    return Sized(x86::gpq(IntegerTo(access, IdOf(scratch))), access.wide);
  }
  x86::Xmm FloatOut(const Access& access, const x86::Xmm& scratch) const {
    return x86::xmm(FloatTo(access, IdOf(scratch)));
  }
  using Homes::FloatDone;
  using Homes::IntegerDone;
  void IntegerDone(const Access& access, const x86::Gp& reg) {
    IntegerDone(access, IdOf(reg));
  }
  void FloatDone(const Access& access, const x86::Xmm& reg) {
    FloatDone(access, IdOf(reg));
  }

 protected:
  static uint8_t IdOf(const asmjit::BaseReg& reg) {
    return static_cast<uint8_t>(reg.id());
  }

  x86::Assembler& a_;
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_X86_64_OPERANDS_H_
