// Integer instructions on AArch64.
#include "vm/jit/emit_integer.h"

#include <utility>

#if __has_include("asmjit/arm/a64utils.h")
#include "asmjit/arm/a64utils.h"
#else
#include "asmjit/arm/armutils.h"  // in later versions
#endif
#include "vm/jit/aarch64/operands.h"
#include "vm/jit/integer_operations.h"

namespace eyrie::vm::jit {
namespace {

class IntegerEmitter : public Operands {
 public:
  using Operands::Operands;

  void Add() { AddOrSubtract(/*subtracts=*/false); }
  void Subtract() { AddOrSubtract(/*subtracts=*/true); }
  void And() { Logical(a64::Inst::kIdAnd); }
  void Or() { Logical(a64::Inst::kIdOrr); }
  void Xor() { Logical(a64::Inst::kIdEor); }
  void Multiply(bool adds);
  void Divide(Sign sign, bool remainder);
  void Not() { Unary(a64::Inst::kIdMvn); }
  void Abs();
  void CountZeros() { Unary(a64::Inst::kIdClz); }
  void Select();
  void ShiftLeft() { Shift(a64::Inst::kIdLsl); }
  void ShiftRight(Sign sign) {
    Shift(sign == Sign::kSigned ? a64::Inst::kIdAsr : a64::Inst::kIdLsr);
  }
  void Min(Sign sign) { Choose(sign == Sign::kSigned ? Cond::kLT : Cond::kLO); }
  void Max(Sign sign) { Choose(sign == Sign::kSigned ? Cond::kGT : Cond::kHI); }
  void Extend(int bits, Sign sign);

 private:
  void AddOrSubtract(bool subtracts);
  void Logical(uint32_t id);
  void Shift(uint32_t id);
  void Unary(uint32_t id);
  void Choose(Cond keep);
};

void IntegerEmitter::AddOrSubtract(bool subtracts) {
  const Access* left = &In(0);
  const Access* right = &In(1);
  if (!subtracts && HomeOf(*left).kind == Home::Kind::kConstant) {
    std::swap(left, right);
  }
  const a64::Gp out = Out32or64();
  const a64::Gp from = In32or64(*left, 0);
  int64_t value;
  if (IsSigned(*right, &value) && value > INT32_MIN && value <= INT32_MAX) {
    AddConstant(a_, out, from, subtracts ? -value : value);
  } else if (subtracts) {
    a_.sub(out, from, In32or64(*right, 1));
  } else {
    a_.add(out, from, In32or64(*right, 1));
  }
  Done(out);
}

void IntegerEmitter::Logical(uint32_t id) {
  const Access* left = &In(0);
  const Access* right = &In(1);
  if (HomeOf(*left).kind == Home::Kind::kConstant) std::swap(left, right);
  const a64::Gp out = Out32or64();
  const a64::Gp from = In32or64(*left, 0);
  uint64_t bits;
  a64::Utils::LogicalImm encoded;
  if (IsConstant(*right, &bits) &&
      a64::Utils::encodeLogicalImm(bits, Out().wide ? 64 : 32, &encoded)) {
    a_.emit(id, out, from, asmjit::Imm(bits));
  } else {
    a_.emit(id, out, from, In32or64(*right, 1));
  }
  Done(out);
}

// Emits a multiplication; if `adds`, also the addition of a third operand.
void IntegerEmitter::Multiply(bool adds) {
  const a64::Gp out = Out32or64();
  const a64::Gp left = In32or64(In(0), 0);
  const a64::Gp right = In32or64(In(1), 1);
  if (adds) {
    a_.madd(out, left, right, In32or64(In(2), 2));
  } else {
    a_.mul(out, left, right);
  }
  Done(out);
}

// The processor takes counts modulo the width, too.
void IntegerEmitter::Shift(uint32_t id) {
  const a64::Gp out = Out32or64();
  const a64::Gp from = In32or64(In(0), 0);
  uint64_t count;
  if (IsConstant(In(1), &count)) {
    const uint64_t by = count & (Out().wide ? 63 : 31);
    if (by == 0) return Done(from);
    a_.emit(id, out, from, asmjit::Imm(by));
  } else {
    a_.emit(id, out, from, Integer(IntegerIn(In(1), 1), Out().wide));
  }
  Done(out);
}

void IntegerEmitter::Unary(uint32_t id) {
  const a64::Gp out = Out32or64();
  a_.emit(id, out, In32or64(In(0), 0));
  Done(out);
}

void IntegerEmitter::Abs() {
  const a64::Gp out = Out32or64();
  const a64::Gp from = In32or64(In(0), 0);
  a_.cmp(from, 0);
  a_.cneg(out, from, ConditionOf(Cond::kMI));
  Done(out);
}

// Emits a minimum or maximum: the right operand if it compares to the left one
// as `keep` requires, else the left.
void IntegerEmitter::Choose(Cond keep) {
  const a64::Gp out = Out32or64();
  const a64::Gp left = In32or64(In(0), 0);
  const a64::Gp right = In32or64(In(1), 1);
  a_.cmp(right, left);
  a_.csel(out, right, left, ConditionOf(keep));
  Done(out);
}

void IntegerEmitter::Select() {
  const a64::Gp out = Out32or64();
  const a64::Gp yes = In32or64(In(1), 0);
  const a64::Gp no = In32or64(In(2), 1);
  a_.cmp(In32or64(In(0), 2), 0);
  a_.csel(out, yes, no, ConditionOf(Cond::kNE));
  Done(out);
}

void IntegerEmitter::Extend(int bits, Sign sign) {
  const bool is_signed = sign == Sign::kSigned;
  const a64::Gp out = Out32or64();
  const a64::Gp from = Integer(IntegerIn(In(0), 0), /*wide=*/false);
  if (bits == 32 && is_signed) {
    a_.sxtw(out, from);
  } else if (bits == 32) {
    a_.mov(out.w(), from);
  } else if (bits == 16) {
    a_.emit(is_signed ? a64::Inst::kIdSxth : a64::Inst::kIdUxth, out, from);
  } else {
    a_.emit(is_signed ? a64::Inst::kIdSxtb : a64::Inst::kIdUxtb, out, from);
  }
  Done(out);
}

// The interpreter handles the divisors 0 and, for quotients, -1.
void IntegerEmitter::Divide(Sign sign, bool remainder) {
  const bool is_signed = sign == Sign::kSigned;
  const Slow slow = code_.AddSlow(Slow::Kind::kStep);
  uint64_t bits;
  const bool constant = IsConstant(In(1), &bits);
  const a64::Gp divisor = In32or64(In(1), 1);
  const uint64_t minus = Out().wide ? ~uint64_t{0} : 0xFFFFFFFF;
  if (!constant || bits == 0) a_.cbz(divisor, slow.entry);
  if (is_signed && !remainder && (!constant || bits == minus)) {
    a_.cmn(divisor, 1);
    a_.b_eq(slow.entry);
  }
  const a64::Gp from = In32or64(In(0), 0);
  const a64::Gp quotient = remainder ? Integer(2, Out().wide) : Out32or64();
  if (is_signed) {
    a_.sdiv(quotient, from, divisor);
  } else {
    a_.udiv(quotient, from, divisor);
  }
  const a64::Gp out = Out32or64();
  if (remainder) a_.msub(out, quotient, divisor, from);
  Done(out);
  a_.bind(slow.back);
}

}  // namespace

bool EmitInteger(Assembly& code) {
  IntegerEmitter emitter(code);
  return EmitIntegerOperation(emitter, code.current().op().op);
}

}  // namespace eyrie::vm::jit
