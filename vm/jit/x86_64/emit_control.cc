// Comparisons and branches on x86-64.
#include "vm/jit/emit_control.h"

#include <vector>

#include "vm/jit/x86_64/operands.h"

namespace eyrie::vm::jit {
namespace {

namespace Inst = x86::Inst;
using Cond = x86::CondCode;

// The flags for which a comparison is true. Some comparisons of floats must
// also test the parity flag.
struct Condition {
  enum class Parity : uint8_t { kAny, kAndOrdered, kOrUnordered };
  x86::CondCode code;
  Parity parity;
};

using Parity = Condition::Parity;

class ControlEmitter : public Operands {
 public:
  using Operands::Operands;

  bool Emit();

 private:
  Condition Compare(Op op);
  Condition CompareFloats(Op op);
  void EmitComparison(Op op);
  void EmitBranch(const Condition& condition);
  void EmitComparedBranch();
  void EmitJump();
  void EmitBranchTable();
};

Condition ControlEmitter::Compare(Op op) {
  switch (op) {
    case Op::kCmpEqRef:
    case Op::kCmpNeRef:
      a_.mov(x86::rax, RefOperand(OperandRegister(0)));
      a_.cmp(x86::rax, RefOperand(OperandRegister(1)));
      return {op == Op::kCmpEqRef ? Cond::kE : Cond::kNE, Parity::kAny};
    case Op::kCmpNzRef:
      a_.cmp(RefOperand(OperandRegister(0)), 0);
      return {Cond::kNE, Parity::kAny};
    case Op::kCmpNzI32:
    case Op::kCmpNzI64: {
      const x86::Gp in = Integer(In(0), x86::rax);
      a_.test(in, in);
      return {Cond::kNE, Parity::kAny};
    }
    default:
      break;
  }
  Cond code;
  switch (op) {
    case Op::kCmpEqI32:
    case Op::kCmpEqI64:
      code = Cond::kE;
      break;
    case Op::kCmpNeI32:
    case Op::kCmpNeI64:
      code = Cond::kNE;
      break;
    case Op::kCmpLtI32S:
    case Op::kCmpLtI64S:
      code = Cond::kL;
      break;
    case Op::kCmpLtI32U:
    case Op::kCmpLtI64U:
      code = Cond::kB;
      break;
    default:
      return CompareFloats(op);
  }
  const x86::Gp left = Integer(In(0), x86::rax);
  a_.emit(Inst::kIdCmp, left, IntegerOperand(In(1), x86::rcx));
  return {code, Parity::kAny};
}

// If operands are unordered, ucomiss sets the carry, zero and parity flags.
Condition ControlEmitter::CompareFloats(Op op) {
  bool swapped = false;
  Condition condition = {Cond::kE, Parity::kAny};
  switch (op) {
    case Op::kCmpEqF32O:
    case Op::kCmpEqF64O:
      condition = {Cond::kE, Parity::kAndOrdered};
      break;
    case Op::kCmpEqF32U:
    case Op::kCmpEqF64U:
      break;
    case Op::kCmpNeF32O:
    case Op::kCmpNeF64O:
    case Op::kCmpNeF32U:
    case Op::kCmpNeF64U:
      condition = {Cond::kNE, Parity::kOrUnordered};
      break;
    case Op::kCmpLtF32O:
    case Op::kCmpLtF64O:
      swapped = true;
      condition = {Cond::kA, Parity::kAny};
      break;
    case Op::kCmpLtF32U:
    case Op::kCmpLtF64U:
      condition = {Cond::kB, Parity::kAny};
      break;
    case Op::kCmpLteF32O:
    case Op::kCmpLteF64O:
      swapped = true;
      condition = {Cond::kAE, Parity::kAny};
      break;
    case Op::kCmpLteF32U:
    case Op::kCmpLteF64U:
      condition = {Cond::kBE, Parity::kAny};
      break;
    case Op::kCmpNanF32:
    case Op::kCmpNanF64:
      condition = {Cond::kP, Parity::kAny};
      break;
    default:
      code_.RefuseFunction();
      return condition;
  }
  const Access& last = In(op == Op::kCmpNanF32 || op == Op::kCmpNanF64 ? 0 : 1);
  const Access& left = swapped ? last : In(0);
  const Access& right = swapped ? In(0) : last;
  const x86::Xmm first = Float(left, x86::xmm0);
  a_.emit(left.wide ? Inst::kIdUcomisd : Inst::kIdUcomiss, first,
          FloatOperand(right, x86::xmm1));
  return condition;
}

void ControlEmitter::EmitComparison(Op op) {
  if (!OutIsUsed()) return;
  const Condition condition = Compare(op);
  a_.emit(Inst::setccFromCond(condition.code), x86::al);
  if (condition.parity == Parity::kAndOrdered) {
    a_.setnp(x86::cl);
    a_.and_(x86::al, x86::cl);
  } else if (condition.parity == Parity::kOrUnordered) {
    a_.setp(x86::cl);
    a_.or_(x86::al, x86::cl);
  }
  a_.movzx(x86::eax, x86::al);
  IntegerDone(Out(), x86::eax);
}

void ControlEmitter::EmitBranch(const Condition& condition) {
  const std::vector<uint32_t> targets = TargetsOf(current());
  const asmjit::Label yes = code_.TargetOf(targets[0]);
  const asmjit::Label no = code_.TargetOf(targets[1]);
  if (condition.parity == Parity::kAndOrdered) {
    a_.jp(no);
    a_.je(yes);
    return code_.JumpTo(no);
  }
  if (condition.parity == Parity::kOrUnordered) {
    a_.jp(yes);
    a_.jne(yes);
    return code_.JumpTo(no);
  }
  if (code_.IsNext(yes)) {
    a_.emit(Inst::jccFromCond(x86::negateCond(condition.code)), no);
    return;
  }
  a_.emit(Inst::jccFromCond(condition.code), yes);
  code_.JumpTo(no);
}

bool ControlEmitter::Emit() {
  const Instruction& i = current();
  if (TakesFuel(i)) code_.Charge();
  if (i.form == Form::kBranch || i.form == Form::kTurn) {
    EmitComparedBranch();
  } else if (i.is(Op::kCondBranch)) {
    const x86::Gp condition = Integer(In(0), x86::rax);
    a_.test(condition, condition);
    EmitBranch({Cond::kNE, Parity::kAny});
  } else if (i.is(Op::kBranchTable)) {
    EmitBranchTable();
  } else if (i.form == Form::kOp && i.op().has(kCompares)) {
    EmitComparison(i.op().op);
  } else if (IsJump(i) || IsFall(i)) {
    EmitJump();
  } else {
    return false;
  }
  return true;
}

void ControlEmitter::EmitComparedBranch() {
  const Op op = current().op().op;
  if (!OutIsUsed()) return EmitBranch(Compare(op));
  EmitComparison(op);
  a_.test(x86::eax, x86::eax);
  EmitBranch({Cond::kNE, Parity::kAny});
}

void ControlEmitter::EmitJump() {
  MoveAll();
  if (IsJump(current())) code_.JumpTo(code_.TargetOf(TargetsOf(current())[0]));
}

void ControlEmitter::EmitBranchTable() {
  constexpr size_t kFewTargets = 5;
  const std::vector<uint32_t> targets = TargetsOf(current());
  const x86::Gp index = Integer(In(0), x86::rax);
  const size_t count = targets.size() - 1;
  if (count < kFewTargets) {
    for (size_t t = 0; t < count; ++t) {
      a_.cmp(index, static_cast<uint32_t>(t));
      a_.je(code_.TargetOf(targets[t]));
    }
    return code_.JumpTo(code_.TargetOf(targets[count]));
  }
  const asmjit::Label table = code_.AddTable();
  a_.cmp(index, static_cast<uint32_t>(count));
  a_.jae(code_.TargetOf(targets[count]));
  a_.mov(x86::eax, index);
  a_.lea(x86::rcx, x86::ptr(table));
  a_.movsxd(x86::rax, x86::dword_ptr(x86::rcx, x86::rax, 2));
  a_.add(x86::rax, x86::rcx);
  a_.jmp(x86::rax);
}

}  // namespace

bool EmitControl(Assembly& code) { return ControlEmitter(code).Emit(); }

}  // namespace eyrie::vm::jit
