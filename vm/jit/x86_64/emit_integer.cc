// Integer instructions on x86-64.
#include "vm/jit/emit_integer.h"

#include <utility>

#include "vm/jit/integer_operations.h"
#include "vm/jit/x86_64/operands.h"

namespace eyrie::vm::jit {
namespace {

namespace Inst = x86::Inst;

class IntegerEmitter : public Operands {
 public:
  using Operands::Operands;

  void Add() { Alu(Inst::kIdAdd, /*commutative=*/true); }
  void Subtract() { Alu(Inst::kIdSub, /*commutative=*/false); }
  void And() { Alu(Inst::kIdAnd, /*commutative=*/true); }
  void Or() { Alu(Inst::kIdOr, /*commutative=*/true); }
  void Xor() { Alu(Inst::kIdXor, /*commutative=*/true); }
  void Multiply(bool adds);
  void Divide(Sign sign, bool remainder);
  void Not();
  void Abs();
  void CountZeros();
  void Select();
  void ShiftLeft() { Shift(Inst::kIdShl); }
  void ShiftRight(Sign sign) {
    Shift(sign == Sign::kSigned ? Inst::kIdSar : Inst::kIdShr);
  }
  void Min(Sign sign) {
    Choose(sign == Sign::kSigned ? x86::CondCode::kL : x86::CondCode::kB);
  }
  void Max(Sign sign) {
    Choose(sign == Sign::kSigned ? x86::CondCode::kG : x86::CondCode::kA);
  }
  void Extend(int bits, Sign sign);

 private:
  void Alu(uint32_t id, bool commutative);
  void Shift(uint32_t id);
  void Choose(x86::CondCode keep);
};

void IntegerEmitter::Alu(uint32_t id, bool commutative) {
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

// Emits a multiplication; if `adds`, also the addition of a third operand.
void IntegerEmitter::Multiply(bool adds) {
  const Access* left = &In(0);
  const Access* right = &In(1);
  if (HomeOf(*left).kind == Home::Kind::kConstant) std::swap(left, right);
  // The target must not hold an operand that is still needed.
  const x86::Gp target = IntegerOut(Out(), x86::rax);
  const bool clashes = adds || (HomeOf(*right).kind == Home::Kind::kInteger &&
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
  if (adds) a_.emit(Inst::kIdAdd, out, IntegerOperand(In(2), x86::rcx));
  IntegerDone(Out(), out);
}

void IntegerEmitter::Shift(uint32_t id) {
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

void IntegerEmitter::Not() {
  const x86::Gp out = IntegerOut(Out(), x86::rax);
  const x86::Gp from = Integer(In(0), out);
  if (from.id() != out.id()) a_.mov(out, from);
  a_.not_(out);
  IntegerDone(Out(), out);
}

void IntegerEmitter::Abs() {
  const bool wide = Out().wide;
  const x86::Gp from = Integer(In(0), x86::rcx);
  const x86::Gp result = Sized(x86::rax, wide);
  a_.mov(result, from);
  a_.neg(result);
  a_.cmovs(result, from);
  IntegerDone(Out(), result);
}

void IntegerEmitter::CountZeros() {
  const x86::Gp out = IntegerOut(Out(), x86::rax);
  a_.lzcnt(out, Integer(In(0), x86::rcx));
  IntegerDone(Out(), out);
}

// Emits a minimum or maximum: the right operand if it compares to the left one
// as `keep` requires, else the left.
void IntegerEmitter::Choose(x86::CondCode keep) {
  const x86::Gp result = Sized(x86::rax, Out().wide);
  const x86::Gp left = Integer(In(0), x86::rax);
  if (left.id() != result.id()) a_.mov(result, left);
  const x86::Gp right = Integer(In(1), x86::rcx);
  a_.cmp(right, result);
  a_.emit(Inst::cmovccFromCond(keep), result, right);
  IntegerDone(Out(), result);
}

void IntegerEmitter::Select() {
  const x86::Gp result = Sized(x86::rax, Out().wide);
  const x86::Gp no = Integer(In(2), x86::rax);
  if (no.id() != result.id()) a_.mov(result, no);
  const x86::Gp yes = Integer(In(1), x86::rcx);
  const x86::Gp condition = Integer(In(0), x86::rdx);
  a_.test(condition, condition);
  a_.cmovnz(result, yes);
  IntegerDone(Out(), result);
}

void IntegerEmitter::Extend(int bits, Sign sign) {
  const bool is_signed = sign == Sign::kSigned;
  const x86::Gp out = IntegerOut(Out(), x86::rax);
  const x86::Gp in = Sized(Integer(In(0), x86::rcx), /*wide=*/false);
  if (bits == 32 && is_signed) {
    a_.movsxd(out, in);
  } else if (bits == 32) {
    a_.mov(Sized(out, /*wide=*/false), in);
  } else {
    a_.emit(
        is_signed ? Inst::kIdMovsx : Inst::kIdMovzx, out,
        bits == 8 ? x86::Gp(x86::gpb_lo(in.id())) : x86::Gp(x86::gpw(in.id())));
  }
  IntegerDone(Out(), out);
}

// The interpreter handles the divisors 0 and -1.
void IntegerEmitter::Divide(Sign sign, bool remainder) {
  const bool is_signed = sign == Sign::kSigned;
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
  IntegerEmitter emitter(code);
  return EmitIntegerOperation(emitter, code.current().op().op);
}

}  // namespace eyrie::vm::jit
