// Float instructions on x86-64.
#include "vm/jit/emit_float.h"

#include <utility>

#include "vm/jit/float_operations.h"
#include "vm/jit/x86_64/operands.h"

namespace eyrie::vm::jit {
namespace {

namespace Inst = x86::Inst;

class FloatEmitter : public Operands {
 public:
  using Operands::Operands;

  void Add() { Alu(Inst::kIdAddss, Inst::kIdAddsd, /*commutative=*/true); }
  void Subtract() {
    Alu(Inst::kIdSubss, Inst::kIdSubsd, /*commutative=*/false);
  }
  void Multiply() { Alu(Inst::kIdMulss, Inst::kIdMulsd, /*commutative=*/true); }
  void Divide() { Alu(Inst::kIdDivss, Inst::kIdDivsd, /*commutative=*/false); }
  void MultiplyAndAdd();
  void Min() { Choose(Inst::kIdMinss, Inst::kIdMinsd); }
  void Max() { Choose(Inst::kIdMaxss, Inst::kIdMaxsd); }
  void Abs() { Mask(Inst::kIdAndps, 0x7FFFFFFF, 0x7FFFFFFFFFFFFFFF); }
  void Negate() { Mask(Inst::kIdXorps, 0x80000000, 0x8000000000000000); }
  void Floor() { Round(9); }
  void Ceil() { Round(10); }
  void RoundToEven() { Round(8); }
  void Root();
  void ReciprocalRoot();
  void Select();
  void FromInteger(Sign sign);
  void ChangeWidth();

 private:
  void Alu(uint32_t narrow, uint32_t wide, bool commutative);
  void Choose(uint32_t narrow, uint32_t wide);
  void Mask(uint32_t id, uint64_t narrow, uint64_t wide);
  void Round(int mode);
};

void FloatEmitter::Alu(uint32_t narrow, uint32_t wide, bool commutative) {
  const uint32_t id = Out().wide ? wide : narrow;
  x86::Xmm out = FloatOut(Out(), x86::xmm0);
  const Access* left = &In(0);
  const Access* right = &In(1);
  const bool clashes = HomeOf(*right).kind == Home::Kind::kFloat &&
                       HomeOf(*right).reg == out.id();
  if (clashes && commutative) std::swap(left, right);
  if (clashes && !commutative) out = x86::xmm0;
  const x86::Xmm from = Float(*left, out);
  if (from.id() != out.id()) a_.movaps(out, from);
  a_.emit(id, out, FloatOperand(*right, x86::xmm1));
  FloatDone(Out(), out);
}

// For NaN and for zeros of both signs, the instruction returns its second
// operand, so pass the left one second.
void FloatEmitter::Choose(uint32_t narrow, uint32_t wide) {
  const x86::Xmm right = Float(In(1), x86::xmm0);
  if (right.id() != 0) a_.movaps(x86::xmm0, right);
  a_.emit(Out().wide ? wide : narrow, x86::xmm0,
          FloatOperand(In(0), x86::xmm1));
  FloatDone(Out(), x86::xmm0);
}

// Rounds the product, then the sum.
void FloatEmitter::MultiplyAndAdd() {
  const bool wide = Out().wide;
  const x86::Xmm left = Float(In(0), x86::xmm0);
  if (left.id() != 0) a_.movaps(x86::xmm0, left);
  a_.emit(wide ? Inst::kIdMulsd : Inst::kIdMulss, x86::xmm0,
          FloatOperand(In(1), x86::xmm1));
  a_.emit(wide ? Inst::kIdAddsd : Inst::kIdAddss, x86::xmm0,
          FloatOperand(In(2), x86::xmm1));
  FloatDone(Out(), x86::xmm0);
}

void FloatEmitter::Mask(uint32_t id, uint64_t narrow, uint64_t wide) {
  const x86::Xmm in = Float(In(0), x86::xmm0);
  if (in.id() != 0) a_.movaps(x86::xmm0, in);
  x86::Mem mask = ConstantAt(Out().wide ? wide : narrow, /*wide=*/true);
  mask.setSize(16);
  a_.emit(id, x86::xmm0, mask);
  FloatDone(Out(), x86::xmm0);
}

void FloatEmitter::Round(int mode) {
  const x86::Xmm out = FloatOut(Out(), x86::xmm0);
  const x86::Xmm in = Float(In(0), x86::xmm0);
  a_.emit(Out().wide ? Inst::kIdRoundsd : Inst::kIdRoundss, out, in,
          asmjit::Imm(mode));
  FloatDone(Out(), out);
}

void FloatEmitter::Root() {
  const x86::Xmm in = Float(In(0), x86::xmm1);
  a_.emit(Out().wide ? Inst::kIdSqrtsd : Inst::kIdSqrtss, x86::xmm0, in);
  FloatDone(Out(), x86::xmm0);
}

void FloatEmitter::ReciprocalRoot() {
  const bool wide = Out().wide;
  const x86::Xmm in = Float(In(0), x86::xmm1);
  a_.emit(wide ? Inst::kIdSqrtsd : Inst::kIdSqrtss, x86::xmm1, in);
  const uint64_t one = wide ? 0x3FF0000000000000 : 0x3F800000;
  a_.emit(wide ? Inst::kIdMovsd : Inst::kIdMovss, x86::xmm0,
          ConstantAt(one, wide));
  a_.emit(wide ? Inst::kIdDivsd : Inst::kIdDivss, x86::xmm0, x86::xmm1);
  FloatDone(Out(), x86::xmm0);
}

void FloatEmitter::Select() {
  const asmjit::Label done = NewLabel();
  const x86::Gp condition = Integer(In(0), x86::rax);
  const x86::Xmm yes = Float(In(1), x86::xmm0);
  if (yes.id() != 0) a_.movaps(x86::xmm0, yes);
  const x86::Xmm no = Float(In(2), x86::xmm1);
  a_.test(condition, condition);
  a_.jnz(done);
  a_.movaps(x86::xmm0, no);
  a_.bind(done);
  FloatDone(Out(), x86::xmm0);
}

void FloatEmitter::FromInteger(Sign sign) {
  const x86::Xmm out = FloatOut(Out(), x86::xmm0);
  x86::Gp in = Integer(In(0), x86::rax);
  if (sign == Sign::kUnsigned) {
    a_.mov(x86::eax, in);
    in = x86::rax;
  }
  a_.xorps(out, out);
  a_.emit(Out().wide ? Inst::kIdCvtsi2sd : Inst::kIdCvtsi2ss, out, in);
  FloatDone(Out(), out);
}

void FloatEmitter::ChangeWidth() {
  const x86::Xmm out = FloatOut(Out(), x86::xmm0);
  const x86::Xmm in = Float(In(0), x86::xmm0);
  a_.emit(Out().wide ? Inst::kIdCvtss2sd : Inst::kIdCvtsd2ss, out, in);
  FloatDone(Out(), out);
}

}  // namespace

bool EmitFloat(Assembly& code) {
  FloatEmitter emitter(code);
  return EmitFloatOperation(emitter, code.current().op().op);
}

}  // namespace eyrie::vm::jit
