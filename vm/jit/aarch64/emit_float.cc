// Float instructions on AArch64.
#include "vm/jit/emit_float.h"

#include "vm/jit/aarch64/operands.h"
#include "vm/jit/float_operations.h"

namespace eyrie::vm::jit {
namespace {

class FloatEmitter : public Operands {
 public:
  using Operands::Operands;

  void Add() { Binary(a64::Inst::kIdFadd_v); }
  void Subtract() { Binary(a64::Inst::kIdFsub_v); }
  void Multiply() { Binary(a64::Inst::kIdFmul_v); }
  void Divide() { Binary(a64::Inst::kIdFdiv_v); }
  void MultiplyAndAdd();
  void Min() { Choose(/*maximum=*/false); }
  void Max() { Choose(/*maximum=*/true); }
  void Abs() { Unary(a64::Inst::kIdFabs_v); }
  void Negate() { Unary(a64::Inst::kIdFneg_v); }
  void Floor() { Unary(a64::Inst::kIdFrintm_v); }
  void Ceil() { Unary(a64::Inst::kIdFrintp_v); }
  void RoundToEven() { Unary(a64::Inst::kIdFrintn_v); }
  void Root() { Unary(a64::Inst::kIdFsqrt_v); }
  void ReciprocalRoot();
  void Select();
  void FromInteger(Sign sign);
  void ChangeWidth() { Unary(a64::Inst::kIdFcvt_v); }

 private:
  void Binary(uint32_t id);
  void Unary(uint32_t id);
  void Choose(bool maximum);
};

// If both operands are NaN, the processor chooses by their order.
void FloatEmitter::Binary(uint32_t id) {
  const a64::Vec out = RealOut();
  const a64::Vec left = RealIn(In(0), 0);
  a_.emit(id, out, left, RealIn(In(1), 1));
  Done(out);
}

void FloatEmitter::Unary(uint32_t id) {
  const a64::Vec out = RealOut();
  a_.emit(id, out, RealIn(In(0), 0));
  Done(out);
}

// For NaN and for zeros of both signs, the result is the left operand.
void FloatEmitter::Choose(bool maximum) {
  const a64::Vec out = RealOut();
  const a64::Vec left = RealIn(In(0), 0);
  const a64::Vec right = RealIn(In(1), 1);
  if (maximum) {
    a_.fcmp(left, right);
  } else {
    a_.fcmp(right, left);
  }
  a_.fcsel(out, right, left, ConditionOf(Cond::kMI));
  Done(out);
}

// Rounds the product, then the sum.
void FloatEmitter::MultiplyAndAdd() {
  const a64::Vec out = RealOut();
  const a64::Vec product = Real(0, Out().wide);
  const a64::Vec left = RealIn(In(0), 0);
  a_.fmul(product, left, RealIn(In(1), 1));
  a_.fadd(out, product, RealIn(In(2), 1));
  Done(out);
}

void FloatEmitter::ReciprocalRoot() {
  const a64::Vec out = RealOut();
  const a64::Vec root = Real(0, Out().wide);
  const a64::Vec one = Real(1, Out().wide);
  a_.fsqrt(root, RealIn(In(0), 0));
  a_.fmov(one, 1.0);
  a_.fdiv(out, one, root);
  Done(out);
}

void FloatEmitter::Select() {
  const a64::Vec out = RealOut();
  const a64::Vec yes = RealIn(In(1), 0);
  const a64::Vec no = RealIn(In(2), 1);
  a_.cmp(In32or64(In(0), 0), 0);
  a_.fcsel(out, yes, no, ConditionOf(Cond::kNE));
  Done(out);
}

void FloatEmitter::FromInteger(Sign sign) {
  const a64::Vec out = RealOut();
  const a64::Gp in = In32or64(In(0), 0);
  if (sign == Sign::kSigned) {
    a_.scvtf(out, in);
  } else {
    a_.ucvtf(out, in);
  }
  Done(out);
}

}  // namespace

bool EmitFloat(Assembly& code) {
  FloatEmitter emitter(code);
  return EmitFloatOperation(emitter, code.current().op().op);
}

}  // namespace eyrie::vm::jit
