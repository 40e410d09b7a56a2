#include "vm/jit/emit_control.h"

#include <optional>
#include <vector>

#include "vm/jit/comparison.h"
#include "vm/jit/machine_code.h"
#include "vm/jit/references.h"

namespace eyrie::vm::jit {
namespace {

class ControlEmitter : public References {
 public:
  using References::References;

  bool Emit();

 private:
  void EmitComparison(const Comparison& comparison);
  void EmitBranch(const Comparison& comparison);
  void EmitComparedBranch(const Comparison& comparison);
  void EmitJump();
  void EmitBranchTable();
};

bool ControlEmitter::Emit() {
  const Instruction& i = current();
  if (TakesFuel(i)) code_.Charge();
  const bool branches = i.form == Form::kBranch || i.form == Form::kTurn;
  if (branches || (i.form == Form::kOp && i.op().has(kCompares))) {
    const std::optional<Comparison> comparison = ComparisonOf(i.op().op);
    if (!comparison.has_value()) return false;
    if (branches) {
      EmitComparedBranch(*comparison);
    } else {
      EmitComparison(*comparison);
    }
  } else if (i.is(Op::kCondBranch)) {
    EmitBranch({Comparison::Of::kInteger, Comparison::Relation::kNotEqual});
  } else if (i.is(Op::kBranchTable)) {
    EmitBranchTable();
  } else if (IsJump(i) || IsFall(i)) {
    EmitJump();
  } else {
    return false;
  }
  return true;
}

void ControlEmitter::EmitComparison(const Comparison& comparison) {
  if (!OutIsUsed()) return;
  SetIf(code_, comparison);
  IntegerDone(Out(), 0);
}

void ControlEmitter::EmitBranch(const Comparison& comparison) {
  const std::vector<uint32_t> targets = TargetsOf(current());
  BranchIf(code_, comparison, code_.TargetOf(targets[0]),
           code_.TargetOf(targets[1]));
}

void ControlEmitter::EmitComparedBranch(const Comparison& comparison) {
  if (!OutIsUsed()) return EmitBranch(comparison);
  EmitComparison(comparison);
  const std::vector<uint32_t> targets = TargetsOf(current());
  JumpIfZero(code_, 0, code_.TargetOf(targets[1]));
  code_.JumpTo(code_.TargetOf(targets[0]));
}

void ControlEmitter::EmitJump() {
  MoveAll();
  if (IsJump(current())) code_.JumpTo(code_.TargetOf(TargetsOf(current())[0]));
}

void ControlEmitter::EmitBranchTable() {
  constexpr uint32_t kFewTargets = 5;
  const std::vector<uint32_t> targets = TargetsOf(current());
  const uint8_t index = IntegerIn(In(0), 0);
  const auto count = static_cast<uint32_t>(targets.size() - 1);
  const asmjit::Label otherwise = code_.TargetOf(targets[count]);
  if (count >= kFewTargets) {
    return JumpByTable(code_, index, count, code_.AddTable(), otherwise);
  }
  for (uint32_t t = 0; t < count; ++t) {
    JumpIfEqual(code_, index, t, code_.TargetOf(targets[t]));
  }
  code_.JumpTo(otherwise);
}

}  // namespace

bool EmitControl(Assembly& code) { return ControlEmitter(code).Emit(); }

}  // namespace eyrie::vm::jit
