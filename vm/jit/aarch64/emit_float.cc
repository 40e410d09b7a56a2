// Float instructions on AArch64.
#include "vm/jit/emit_float.h"

#include "vm/jit/aarch64/operands.h"

namespace eyrie::vm::jit {
namespace {

class FloatEmitter : public Operands {
 public:
  using Operands::Operands;

  bool Emit(Op op);

 private:
  bool EmitConversion(Op op);
  void Binary(uint32_t id);
  void Unary(uint32_t id);
  void MinMax(bool maximum);
  void Fma();
  void ReciprocalRoot();
  void Select();
  void FromInteger(bool is_signed);
};

#define EYRIE_REALS(name) \
  case Op::k##name##F32:  \
  case Op::k##name##F64

bool FloatEmitter::Emit(Op op) {
  switch (op) {
    EYRIE_REALS(Add) : Binary(a64::Inst::kIdFadd_v);
    return true;
    EYRIE_REALS(Sub) : Binary(a64::Inst::kIdFsub_v);
    return true;
    EYRIE_REALS(Mul) : Binary(a64::Inst::kIdFmul_v);
    return true;
    EYRIE_REALS(Div) : Binary(a64::Inst::kIdFdiv_v);
    return true;
    EYRIE_REALS(Min) : MinMax(/*maximum=*/false);
    return true;
    EYRIE_REALS(Max) : MinMax(/*maximum=*/true);
    return true;
    EYRIE_REALS(Fma) : Fma();
    return true;
    EYRIE_REALS(Abs) : Unary(a64::Inst::kIdFabs_v);
    return true;
    EYRIE_REALS(Neg) : Unary(a64::Inst::kIdFneg_v);
    return true;
    EYRIE_REALS(Floor) : Unary(a64::Inst::kIdFrintm_v);
    return true;
    EYRIE_REALS(Ceil) : Unary(a64::Inst::kIdFrintp_v);
    return true;
    case Op::kRoundF32Even:
    case Op::kRoundF64Even:
      Unary(a64::Inst::kIdFrintn_v);
      return true;
      EYRIE_REALS(Sqrt) : Unary(a64::Inst::kIdFsqrt_v);
      return true;
      EYRIE_REALS(Rsqrt) : ReciprocalRoot();
      return true;
      EYRIE_REALS(Select) : Select();
      return true;
    default:
      return EmitConversion(op);
  }
}

bool FloatEmitter::EmitConversion(Op op) {
  switch (op) {
    EYRIE_REALS(CastSi32) : EYRIE_REALS(CastSi64) : FromInteger(true);
    return true;
    EYRIE_REALS(CastUi32) : FromInteger(false);
    return true;
    case Op::kTruncF64F32:
    case Op::kExtF32F64:
      Unary(a64::Inst::kIdFcvt_v);
      return true;
    case Op::kBitcastI32F32:
    case Op::kBitcastF32I32:
    case Op::kBitcastI64F64:
    case Op::kBitcastF64I64:
      Move(In(0), Out());
      return true;
    default:
      return false;
  }
}

#undef EYRIE_REALS

// If both operands are NaN, the processor chooses by their order.
void FloatEmitter::Binary(uint32_t id) {
  if (!OutIsUsed()) return;
  const a64::Vec out = RealOut();
  const a64::Vec left = RealIn(In(0), 0);
  a_.emit(id, out, left, RealIn(In(1), 1));
  Done(out);
}

void FloatEmitter::Unary(uint32_t id) {
  if (!OutIsUsed()) return;
  const a64::Vec out = RealOut();
  a_.emit(id, out, RealIn(In(0), 0));
  Done(out);
}

// For NaN and for zeros of both signs, the result is the left operand.
void FloatEmitter::MinMax(bool maximum) {
  if (!OutIsUsed()) return;
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
void FloatEmitter::Fma() {
  if (!OutIsUsed()) return;
  const a64::Vec out = RealOut();
  const a64::Vec product = Real(0, Out().wide);
  const a64::Vec left = RealIn(In(0), 0);
  a_.fmul(product, left, RealIn(In(1), 1));
  a_.fadd(out, product, RealIn(In(2), 1));
  Done(out);
}

void FloatEmitter::ReciprocalRoot() {
  if (!OutIsUsed()) return;
  const a64::Vec out = RealOut();
  const a64::Vec root = Real(0, Out().wide);
  const a64::Vec one = Real(1, Out().wide);
  a_.fsqrt(root, RealIn(In(0), 0));
  a_.fmov(one, 1.0);
  a_.fdiv(out, one, root);
  Done(out);
}

void FloatEmitter::Select() {
  if (!OutIsUsed()) return;
  const a64::Vec out = RealOut();
  const a64::Vec yes = RealIn(In(1), 0);
  const a64::Vec no = RealIn(In(2), 1);
  a_.cmp(In32or64(In(0), 0), 0);
  a_.fcsel(out, yes, no, ConditionOf(Cond::kNE));
  Done(out);
}

void FloatEmitter::FromInteger(bool is_signed) {
  if (!OutIsUsed()) return;
  const a64::Vec out = RealOut();
  const a64::Gp in = In32or64(In(0), 0);
  if (is_signed) {
    a_.scvtf(out, in);
  } else {
    a_.ucvtf(out, in);
  }
  Done(out);
}

}  // namespace

bool EmitFloat(Assembly& code) {
  return FloatEmitter(code).Emit(code.current().op().op);
}

}  // namespace eyrie::vm::jit
