// Integer instructions on x86-64.
#include "vm/jit/emit_integer.h"

#include <utility>

#include "vm/jit/x86_64/operands.h"

namespace eyrie::vm::jit {
namespace {

namespace Inst = x86::Inst;

class IntegerEmitter : public Operands {
 public:
  using Operands::Operands;

  bool Emit(Op op);

 private:
  bool EmitDivision(Op op);
  bool EmitConversion(Op op);
  void Alu(uint32_t id, bool commutative);
  void Multiply();
  void Shift(uint32_t id);
  void Unary(uint32_t id);
  void AbsInteger();
  void CountZeros();
  void MinMax(x86::CondCode keep);
  void SelectInteger();
  void Extend(uint32_t id, bool byte);
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
    EYRIE_BOTH(Add) : Alu(Inst::kIdAdd, /*commutative=*/true);
    return true;
    EYRIE_BOTH(Sub) : Alu(Inst::kIdSub, /*commutative=*/false);
    return true;
    EYRIE_BOTH(And) : Alu(Inst::kIdAnd, /*commutative=*/true);
    return true;
    EYRIE_BOTH(Or) : Alu(Inst::kIdOr, /*commutative=*/true);
    return true;
    EYRIE_BOTH(Xor) : Alu(Inst::kIdXor, /*commutative=*/true);
    return true;
    EYRIE_BOTH(Mul) : EYRIE_BOTH(Fma) : Multiply();
    return true;
    EYRIE_BOTH(Not) : Unary(Inst::kIdNot);
    return true;
    EYRIE_BOTH(Abs) : AbsInteger();
    return true;
    EYRIE_BOTH(Ctlz) : CountZeros();
    return true;
    EYRIE_BOTH(Select) : SelectInteger();
    return true;
    EYRIE_BOTH(Shl) : Shift(Inst::kIdShl);
    return true;
    case Op::kShrI32S:
    case Op::kShrI64S:
      Shift(Inst::kIdSar);
      return true;
    case Op::kShrI32U:
    case Op::kShrI64U:
      Shift(Inst::kIdShr);
      return true;
    case Op::kMinI32S:
    case Op::kMinI64S:
      MinMax(x86::CondCode::kL);
      return true;
    case Op::kMinI32U:
    case Op::kMinI64U:
      MinMax(x86::CondCode::kB);
      return true;
    case Op::kMaxI32S:
    case Op::kMaxI64S:
      MinMax(x86::CondCode::kG);
      return true;
    case Op::kMaxI32U:
    case Op::kMaxI64U:
      MinMax(x86::CondCode::kA);
      return true;
    default:
      return EmitDivision(op) || EmitConversion(op);
  }
}

#undef EYRIE_BOTH

bool IntegerEmitter::EmitDivision(Op op) {
  switch (op) {
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
      return false;
  }
}

bool IntegerEmitter::EmitConversion(Op op) {
  switch (op) {
    case Op::kTruncI32I8:
    case Op::kExtI8I32U:
      Extend(Inst::kIdMovzx, /*byte=*/true);
      return true;
    case Op::kTruncI32I16:
    case Op::kExtI16I32U:
      Extend(Inst::kIdMovzx, /*byte=*/false);
      return true;
    case Op::kExtI8I32S:
      Extend(Inst::kIdMovsx, /*byte=*/true);
      return true;
    case Op::kExtI16I32S:
      Extend(Inst::kIdMovsx, /*byte=*/false);
      return true;
    case Op::kTruncI64I32:
    case Op::kExtI32I64U: {
      if (!OutIsUsed()) return true;
      const x86::Gp out = Sized(IntegerOut(Out(), x86::rax), false);
      const x86::Gp in = Sized(Integer(In(0), x86::rax), false);
      a_.mov(out, in);
      IntegerDone(Out(), out);
      return true;
    }
    case Op::kExtI32I64S: {
      if (!OutIsUsed()) return true;
      const x86::Gp out = IntegerOut(Out(), x86::rax);
      a_.movsxd(out, Integer(In(0), x86::rax));
      IntegerDone(Out(), out);
      return true;
    }
    default:
      return false;
  }
}

void IntegerEmitter::Alu(uint32_t id, bool commutative) {
  if (!OutIsUsed()) return;
  const x86::Gp out = IntegerOut(Out(), x86::rax);
  const Access* left = &In(0);
  const Access* right = &In(1);
  const bool clashes = HomeOf(*right).kind == Home::Kind::kInteger &&
                       HomeOf(*right).reg == out.id();
  const bool constant = HomeOf(*left).kind == Home::Kind::kConstant;
  if (commutative && (clashes || constant)) std::swap(left, right);
  int64_t value;
  const Home& left_home = HomeOf(*left);
  const bool far =
      left_home.kind == Home::Kind::kInteger && left_home.reg != out.id();
  if (far && (id == Inst::kIdAdd || id == Inst::kIdSub) &&
      IsSmall(*right, &value) && value != INT32_MIN) {
    const auto by = static_cast<int32_t>(id == Inst::kIdAdd ? value : -value);
    a_.lea(out, x86::ptr(x86::gpq(left_home.reg), by));
    return IntegerDone(Out(), out);
  }
  if (far && id == Inst::kIdAdd &&
      HomeOf(*right).kind == Home::Kind::kInteger) {
    a_.lea(out,
           x86::ptr(x86::gpq(left_home.reg), x86::gpq(HomeOf(*right).reg)));
    return IntegerDone(Out(), out);
  }
  if (clashes && !commutative) {
    const x86::Gp result = Sized(x86::rax, out.isGpq());
    const x86::Gp from = Integer(*left, x86::rax);
    if (from.id() != result.id()) a_.mov(result, from);
    a_.emit(id, result, out);
    return IntegerDone(Out(), result);
  }
  const x86::Gp from = Integer(*left, out);
  if (from.id() != out.id()) a_.mov(out, from);
  a_.emit(id, out, IntegerOperand(*right, x86::rcx));
  IntegerDone(Out(), out);
}

// Emits a multiplication; for fma, also the addition of a third operand.
void IntegerEmitter::Multiply() {
  if (!OutIsUsed()) return;
  const bool fused = Accesses().size() == 4;
  const Access* left = &In(0);
  const Access* right = &In(1);
  if (HomeOf(*left).kind == Home::Kind::kConstant) std::swap(left, right);
  // The target must not hold an operand that is still needed.
  const x86::Gp target = IntegerOut(Out(), x86::rax);
  const bool clashes = fused || (HomeOf(*right).kind == Home::Kind::kInteger &&
                                 HomeOf(*right).reg == target.id());
  const x86::Gp out = clashes ? Sized(x86::rax, target.isGpq()) : target;
  int64_t value;
  if (IsSmall(*right, &value)) {
    a_.imul(out, Integer(*left, x86::rax), value);
  } else {
    const x86::Gp from = Integer(*left, out);
    if (from.id() != out.id()) a_.mov(out, from);
    a_.emit(Inst::kIdImul, out, IntegerOperand(*right, x86::rcx));
  }
  if (fused) a_.emit(Inst::kIdAdd, out, IntegerOperand(In(2), x86::rcx));
  IntegerDone(Out(), out);
}

void IntegerEmitter::Shift(uint32_t id) {
  if (!OutIsUsed()) return;
  const x86::Gp out = IntegerOut(Out(), x86::rax);
  uint64_t count;
  if (IsConstant(In(1), &count)) {
    const x86::Gp from = Integer(In(0), out);
    if (from.id() != out.id()) a_.mov(out, from);
    const auto by = static_cast<uint32_t>(count & (out.isGpq() ? 63 : 31));
    if (by != 0) a_.emit(id, out, asmjit::Imm(by));
    return IntegerDone(Out(), out);
  }
  const x86::Gp by = Integer(In(1), x86::rcx);
  if (by.id() != x86::Gp::kIdCx) a_.mov(x86::ecx, Sized(by, false));
  const x86::Gp from = Integer(In(0), out);
  if (from.id() != out.id()) a_.mov(out, from);
  a_.emit(id, out, x86::cl);
  IntegerDone(Out(), out);
}

void IntegerEmitter::Unary(uint32_t id) {
  if (!OutIsUsed()) return;
  const x86::Gp out = IntegerOut(Out(), x86::rax);
  const x86::Gp from = Integer(In(0), out);
  if (from.id() != out.id()) a_.mov(out, from);
  a_.emit(id, out);
  IntegerDone(Out(), out);
}

void IntegerEmitter::AbsInteger() {
  if (!OutIsUsed()) return;
  const bool wide = Out().wide;
  const x86::Gp from = Integer(In(0), x86::rcx);
  const x86::Gp result = Sized(x86::rax, wide);
  a_.mov(result, from);
  a_.neg(result);
  a_.cmovs(result, from);
  IntegerDone(Out(), result);
}

void IntegerEmitter::CountZeros() {
  if (!OutIsUsed()) return;
  const x86::Gp out = IntegerOut(Out(), x86::rax);
  a_.lzcnt(out, Integer(In(0), x86::rcx));
  IntegerDone(Out(), out);
}

// Emits a minimum or maximum: the right operand if it compares to the left one
// as `keep` requires, else the left.
void IntegerEmitter::MinMax(x86::CondCode keep) {
  if (!OutIsUsed()) return;
  const x86::Gp result = Sized(x86::rax, Out().wide);
  const x86::Gp left = Integer(In(0), x86::rax);
  if (left.id() != result.id()) a_.mov(result, left);
  const x86::Gp right = Integer(In(1), x86::rcx);
  a_.cmp(right, result);
  a_.emit(Inst::cmovccFromCond(keep), result, right);
  IntegerDone(Out(), result);
}

void IntegerEmitter::SelectInteger() {
  if (!OutIsUsed()) return;
  const x86::Gp result = Sized(x86::rax, Out().wide);
  const x86::Gp no = Integer(In(2), x86::rax);
  if (no.id() != result.id()) a_.mov(result, no);
  const x86::Gp yes = Integer(In(1), x86::rcx);
  const x86::Gp condition = Integer(In(0), x86::rdx);
  a_.test(condition, condition);
  a_.cmovnz(result, yes);
  IntegerDone(Out(), result);
}

void IntegerEmitter::Extend(uint32_t id, bool byte) {
  if (!OutIsUsed()) return;
  const x86::Gp out = IntegerOut(Out(), x86::rax);
  const uint32_t in = Integer(In(0), x86::rcx).id();
  a_.emit(id, out, byte ? x86::Gp(x86::gpb_lo(in)) : x86::Gp(x86::gpw(in)));
  IntegerDone(Out(), out);
}

// The interpreter handles the divisors 0 and -1.
void IntegerEmitter::Divide(bool is_signed, bool remainder) {
  const bool wide = Out().wide;
  const Slow slow = code_.AddSlow(Slow::Kind::kStep);
  uint64_t bits;
  const bool constant = IsConstant(In(1), &bits);
  const x86::Gp divisor = Integer(In(1), x86::rcx);
  const uint64_t minus = wide ? ~uint64_t{0} : 0xFFFFFFFF;
  if (!constant || bits == 0) {
    a_.test(divisor, divisor);
    a_.jz(slow.entry);
  }
  if (is_signed && (!constant || bits == minus)) {
    a_.cmp(divisor, -1);
    a_.je(slow.entry);
  }
  const x86::Gp low = Sized(x86::rax, wide);
  const x86::Gp high = Sized(x86::rdx, wide);
  const x86::Gp from = Integer(In(0), x86::rax);
  if (from.id() != low.id()) a_.mov(low, from);
  if (!is_signed) {
    a_.xor_(x86::edx, x86::edx);
    a_.div(high, low, divisor);
  } else {
    if (wide) {
      a_.cqo(high, low);
    } else {
      a_.cdq(high, low);
    }
    a_.idiv(high, low, divisor);
  }
  IntegerDone(Out(), remainder ? high : low);
  a_.bind(slow.back);
}

}  // namespace

bool EmitInteger(Assembly& code) {
  return IntegerEmitter(code).Emit(code.current().op().op);
}

}  // namespace eyrie::vm::jit
