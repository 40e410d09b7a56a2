// Integer instructions on AArch64.
#include "vm/jit/emit_integer.h"

#include <utility>

#include "asmjit/arm/a64utils.h"
#include "vm/jit/aarch64/operands.h"

namespace eyrie::vm::jit {
namespace {

class IntegerEmitter : public Operands {
 public:
  using Operands::Operands;

  bool Emit(Op op);

 private:
  bool EmitSimple(Op op);
  bool EmitConversion(Op op);
  void AddOrSubtract(bool subtracts);
  void Logical(uint32_t id);
  void Multiply();
  void Shift(uint32_t id);
  void Unary(Op op);
  void MinMax(Cond keep);
  void SelectInteger();
  void Extend(Op op);
  void Divide(bool is_signed, bool remainder);
};

#define EYRIE_BOTH(name) \
  case Op::k##name##I32: \
  case Op::k##name##I64

bool IntegerEmitter::Emit(Op op) {
  switch (op) {
  EYRIE_BOTH(Const) : case Op::kConstF32:
  case Op::kConstF64:
  case Op::kConstI32Zero:
  case Op::kConstI64Zero:
  case Op::kConstF32Zero:
  case Op::kConstF64Zero:
    WriteConstant();
    return true;
    case Op::kDivI32S:
    case Op::kDivI64S:
      Divide(/*is_signed=*/true, /*remainder=*/false);
      return true;
    case Op::kDivI32U:
    case Op::kDivI64U:
      Divide(/*is_signed=*/false, /*remainder=*/false);
      return true;
    case Op::kRemI32S:
    case Op::kRemI64S:
      Divide(/*is_signed=*/true, /*remainder=*/true);
      return true;
    case Op::kRemI32U:
    case Op::kRemI64U:
      Divide(/*is_signed=*/false, /*remainder=*/true);
      return true;
    default:
      return EmitSimple(op) || EmitConversion(op);
  }
}

bool IntegerEmitter::EmitSimple(Op op) {
  switch (op) {
    EYRIE_BOTH(Add) : AddOrSubtract(/*subtracts=*/false);
    return true;
    EYRIE_BOTH(Sub) : AddOrSubtract(/*subtracts=*/true);
    return true;
    EYRIE_BOTH(And) : Logical(a64::Inst::kIdAnd);
    return true;
    EYRIE_BOTH(Or) : Logical(a64::Inst::kIdOrr);
    return true;
    EYRIE_BOTH(Xor) : Logical(a64::Inst::kIdEor);
    return true;
    EYRIE_BOTH(Mul) : EYRIE_BOTH(Fma) : Multiply();
    return true;
    EYRIE_BOTH(Not) : EYRIE_BOTH(Abs) : EYRIE_BOTH(Ctlz) : Unary(op);
    return true;
    EYRIE_BOTH(Select) : SelectInteger();
    return true;
    EYRIE_BOTH(Shl) : Shift(a64::Inst::kIdLsl);
    return true;
    case Op::kShrI32S:
    case Op::kShrI64S:
      Shift(a64::Inst::kIdAsr);
      return true;
    case Op::kShrI32U:
    case Op::kShrI64U:
      Shift(a64::Inst::kIdLsr);
      return true;
    case Op::kMinI32S:
    case Op::kMinI64S:
      MinMax(Cond::kLT);
      return true;
    case Op::kMinI32U:
    case Op::kMinI64U:
      MinMax(Cond::kLO);
      return true;
    case Op::kMaxI32S:
    case Op::kMaxI64S:
      MinMax(Cond::kGT);
      return true;
    case Op::kMaxI32U:
    case Op::kMaxI64U:
      MinMax(Cond::kHI);
      return true;
    default:
      return false;
  }
}

bool IntegerEmitter::EmitConversion(Op op) {
  switch (op) {
    case Op::kTruncI32I8:
    case Op::kExtI8I32U:
    case Op::kTruncI32I16:
    case Op::kExtI16I32U:
    case Op::kExtI8I32S:
    case Op::kExtI16I32S:
    case Op::kTruncI64I32:
    case Op::kExtI32I64U:
    case Op::kExtI32I64S:
      if (OutIsUsed()) Extend(op);
      return true;
    default:
      return false;
  }
}

void IntegerEmitter::AddOrSubtract(bool subtracts) {
  if (!OutIsUsed()) return;
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
  if (!OutIsUsed()) return;
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

// Emits a multiplication; for fma, also the addition of a third operand.
void IntegerEmitter::Multiply() {
  if (!OutIsUsed()) return;
  const a64::Gp out = Out32or64();
  const a64::Gp left = In32or64(In(0), 0);
  const a64::Gp right = In32or64(In(1), 1);
  if (Accesses().size() == 4) {
    a_.madd(out, left, right, In32or64(In(2), 2));
  } else {
    a_.mul(out, left, right);
  }
  Done(out);
}

// The processor takes counts modulo the width, too.
void IntegerEmitter::Shift(uint32_t id) {
  if (!OutIsUsed()) return;
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

void IntegerEmitter::Unary(Op op) {
  if (!OutIsUsed()) return;
  const a64::Gp out = Out32or64();
  const a64::Gp from = In32or64(In(0), 0);
  if (op == Op::kNotI32 || op == Op::kNotI64) {
    a_.mvn(out, from);
  } else if (op == Op::kCtlzI32 || op == Op::kCtlzI64) {
    a_.clz(out, from);
  } else {
    a_.cmp(from, 0);
    a_.cneg(out, from, ConditionOf(Cond::kMI));
  }
  Done(out);
}

// Emits a minimum or maximum: the right operand if it compares to the left one
// as `keep` requires, else the left.
void IntegerEmitter::MinMax(Cond keep) {
  if (!OutIsUsed()) return;
  const a64::Gp out = Out32or64();
  const a64::Gp left = In32or64(In(0), 0);
  const a64::Gp right = In32or64(In(1), 1);
  a_.cmp(right, left);
  a_.csel(out, right, left, ConditionOf(keep));
  Done(out);
}

void IntegerEmitter::SelectInteger() {
  if (!OutIsUsed()) return;
  const a64::Gp out = Out32or64();
  const a64::Gp yes = In32or64(In(1), 0);
  const a64::Gp no = In32or64(In(2), 1);
  a_.cmp(In32or64(In(0), 2), 0);
  a_.csel(out, yes, no, ConditionOf(Cond::kNE));
  Done(out);
}

void IntegerEmitter::Extend(Op op) {
  const a64::Gp out = Out32or64();
  const a64::Gp from = Integer(IntegerIn(In(0), 0), /*wide=*/false);
  switch (op) {
    case Op::kTruncI32I8:
    case Op::kExtI8I32U:
      a_.uxtb(out, from);
      break;
    case Op::kTruncI32I16:
    case Op::kExtI16I32U:
      a_.uxth(out, from);
      break;
    case Op::kExtI8I32S:
      a_.sxtb(out, from);
      break;
    case Op::kExtI16I32S:
      a_.sxth(out, from);
      break;
    case Op::kExtI32I64S:
      a_.sxtw(out, from);
      break;
    default:
      a_.mov(out.w(), from);
  }
  Done(out);
}

// The interpreter handles the divisors 0 and, for quotients, -1.
void IntegerEmitter::Divide(bool is_signed, bool remainder) {
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

#undef EYRIE_BOTH

}  // namespace

bool EmitInteger(Assembly& code) {
  return IntegerEmitter(code).Emit(code.current().op().op);
}

}  // namespace eyrie::vm::jit
