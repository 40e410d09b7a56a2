// The homes of numbers as operands of instructions (homes.h), and constants and
// offsets of any size.
#ifndef EYRIE_VM_JIT_AARCH64_OPERANDS_H_
#define EYRIE_VM_JIT_AARCH64_OPERANDS_H_

#include <cstddef>
#include <cstdint>

#include "vm/jit/aarch64/purpose.h"
#include "vm/jit/references.h"

namespace eyrie::vm::jit {

using Cond = asmjit::arm::CondCode;

inline a64::Assembler& AssemblerOf(Assembly& code) {
  return static_cast<a64::Assembler&>(code.assembler());
}
inline asmjit::Imm ConditionOf(Cond condition) {
  return asmjit::Imm(static_cast<uint32_t>(condition));
}

// Returns the operand for `width` bytes at an offset. Loads kFar if the offset
// does not fit, so it must be used before the next call.
a64::Mem AddressOf(a64::Assembler& a, const a64::Gp& base, uint64_t offset,
                   uint32_t width);
// Adds a constant; may clobber kNear.
void AddConstant(a64::Assembler& a, const a64::Gp& to, const a64::Gp& from,
                 int64_t value);
// Compares with a constant; may clobber kNear.
void CompareConstant(a64::Assembler& a, const a64::Gp& reg, int64_t value);
// Loads a constant with as few instructions as possible.
void LoadBits(a64::Assembler& a, const a64::Gp& to, uint64_t bits);

class Operands : public References {
 public:
  explicit Operands(Assembly& code) : References(code), a_(AssemblerOf(code)) {}

  a64::Mem At(const Memory& memory);
  a64::Mem State(size_t offset) { return At(StateAt(offset)); }

  // Return a register with the value: the web's own, or the scratch register of
  // this number.
  a64::Gp In32or64(const Access& access, uint8_t scratch) {
    return Integer(IntegerIn(access, scratch), access.wide);
  }
  a64::Vec RealIn(const Access& access, uint8_t scratch) {
    return Real(FloatIn(access, scratch), access.wide);
  }
  // Return the register for a result; IntegerDone or FloatDone must follow.
  a64::Gp Out32or64(uint8_t scratch = 0) const {
    return Integer(IntegerTo(Out(), scratch), Out().wide);
  }
  a64::Vec RealOut(uint8_t scratch = 0) const {
    return Real(FloatTo(Out(), scratch), Out().wide);
  }
  void Done(const a64::Gp& reg) { IntegerDone(Out(), IdOf(reg)); }
  void Done(const a64::Vec& reg) { FloatDone(Out(), IdOf(reg)); }
  // Returns the value of a constant, sign-extended.
  bool IsSigned(const Access& access, int64_t* value) const;

 protected:
  static uint8_t IdOf(const asmjit::BaseReg& reg) {
    return static_cast<uint8_t>(reg.id());
  }

  a64::Assembler& a_;
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_AARCH64_OPERANDS_H_
