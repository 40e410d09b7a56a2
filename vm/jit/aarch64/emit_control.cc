// Comparisons and branches on AArch64.
#include "vm/jit/emit_control.h"

#include <vector>

#include "vm/jit/aarch64/operands.h"

namespace eyrie::vm::jit {
namespace {

// The flags for which a comparison is true. `or_unordered`: or if floats are
// unordered, which sets the overflow flag.
struct Condition {
  Cond code;
  bool or_unordered = false;
};

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
      LoadRegister(/*real=*/false, 0, RefAt(OperandRegister(0)));
      LoadRegister(/*real=*/false, 1, RefAt(OperandRegister(1)));
      a_.cmp(a64::x0, a64::x1);
      return {op == Op::kCmpEqRef ? Cond::kEQ : Cond::kNE};
    case Op::kCmpNzRef:
      LoadRegister(/*real=*/false, 0, RefAt(OperandRegister(0)));
      a_.cmp(a64::x0, 0);
      return {Cond::kNE};
    case Op::kCmpNzI32:
    case Op::kCmpNzI64:
      a_.cmp(In32or64(In(0), 0), 0);
      return {Cond::kNE};
    default:
      break;
  }
  Cond code;
  switch (op) {
    case Op::kCmpEqI32:
    case Op::kCmpEqI64:
      code = Cond::kEQ;
      break;
    case Op::kCmpNeI32:
    case Op::kCmpNeI64:
      code = Cond::kNE;
      break;
    case Op::kCmpLtI32S:
    case Op::kCmpLtI64S:
      code = Cond::kLT;
      break;
    case Op::kCmpLtI32U:
    case Op::kCmpLtI64U:
      code = Cond::kLO;
      break;
    default:
      return CompareFloats(op);
  }
  const a64::Gp left = In32or64(In(0), 0);
  int64_t value;
  if (IsSigned(In(1), &value)) {
    CompareConstant(a_, left, value);
  } else {
    a_.cmp(left, In32or64(In(1), 1));
  }
  return {code};
}

// If operands are unordered, fcmp sets the carry and overflow flags.
Condition ControlEmitter::CompareFloats(Op op) {
  Condition condition = {Cond::kEQ};
  bool one = false;
  switch (op) {
    case Op::kCmpEqF32O:
    case Op::kCmpEqF64O:
      break;
    case Op::kCmpEqF32U:
    case Op::kCmpEqF64U:
      condition.or_unordered = true;
      break;
    case Op::kCmpNeF32O:
    case Op::kCmpNeF64O:
    case Op::kCmpNeF32U:
    case Op::kCmpNeF64U:
      condition = {Cond::kNE};
      break;
    case Op::kCmpLtF32O:
    case Op::kCmpLtF64O:
      condition = {Cond::kMI};
      break;
    case Op::kCmpLtF32U:
    case Op::kCmpLtF64U:
      condition = {Cond::kLT};
      break;
    case Op::kCmpLteF32O:
    case Op::kCmpLteF64O:
      condition = {Cond::kLS};
      break;
    case Op::kCmpLteF32U:
    case Op::kCmpLteF64U:
      condition = {Cond::kLE};
      break;
    case Op::kCmpNanF32:
    case Op::kCmpNanF64:
      condition = {Cond::kVS};
      one = true;
      break;
    default:
      code_.RefuseFunction();
      return condition;
  }
  const a64::Vec left = RealIn(In(0), 0);
  a_.fcmp(left, one ? left : RealIn(In(1), 1));
  return condition;
}

void ControlEmitter::EmitComparison(Op op) {
  if (!OutIsUsed()) return;
  const Condition condition = Compare(op);
  a_.cset(a64::w0, ConditionOf(condition.code));
  if (condition.or_unordered) {
    // Adds 1 to zero if they are unordered.
    a_.csinc(a64::w0, a64::w0, a64::wzr, ConditionOf(Cond::kVC));
  }
  IntegerDone(Out(), 0);
}

void ControlEmitter::EmitBranch(const Condition& condition) {
  const std::vector<uint32_t> targets = TargetsOf(current());
  const asmjit::Label yes = code_.TargetOf(targets[0]);
  const asmjit::Label no = code_.TargetOf(targets[1]);
  if (condition.or_unordered) a_.b(Cond::kVS, yes);
  if (code_.IsNext(yes)) {
    a_.b(asmjit::arm::negateCond(condition.code), no);
    return;
  }
  a_.b(condition.code, yes);
  code_.JumpTo(no);
}

bool ControlEmitter::Emit() {
  const Instruction& i = current();
  if (TakesFuel(i)) code_.Charge();
  if (i.form == Form::kBranch || i.form == Form::kTurn) {
    EmitComparedBranch();
  } else if (i.is(Op::kCondBranch)) {
    a_.cmp(In32or64(In(0), 0), 0);
    EmitBranch({Cond::kNE});
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
  a_.cmp(a64::w0, 0);
  EmitBranch({Cond::kNE});
}

void ControlEmitter::EmitJump() {
  MoveAll();
  if (IsJump(current())) code_.JumpTo(code_.TargetOf(TargetsOf(current())[0]));
}

void ControlEmitter::EmitBranchTable() {
  constexpr size_t kFewTargets = 5;
  const std::vector<uint32_t> targets = TargetsOf(current());
  const a64::Gp index = In32or64(In(0), 0);
  const size_t count = targets.size() - 1;
  if (count < kFewTargets) {
    for (size_t t = 0; t < count; ++t) {
      a_.cmp(index, t);
      a_.b_eq(code_.TargetOf(targets[t]));
    }
    return code_.JumpTo(code_.TargetOf(targets[count]));
  }
  const asmjit::Label table = code_.AddTable();
  CompareConstant(a_, index, static_cast<int64_t>(count));
  a_.b_hs(code_.TargetOf(targets[count]));
  a_.mov(a64::w0, index);
  a_.adr(a64::x1, table);
  a_.ldrsw(a64::x0, a64::ptr(a64::x1, a64::x0, a64::lsl(2)));
  a_.add(a64::x0, a64::x0, a64::x1);
  a_.br(a64::x0);
}

}  // namespace

bool EmitControl(Assembly& code) { return ControlEmitter(code).Emit(); }

}  // namespace eyrie::vm::jit
