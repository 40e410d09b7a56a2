// Comparisons, and branches by them, on AArch64.
#include "vm/jit/aarch64/operands.h"
#include "vm/jit/comparison.h"
#include "vm/jit/machine_code.h"

namespace eyrie::vm::jit {
namespace {

using Of = Comparison::Of;
using Relation = Comparison::Relation;

// The flags for which a comparison is true. `or_unordered`: or if floats are
// unordered, which sets the overflow flag.
struct Condition {
  Cond code;
  bool or_unordered = false;
};

Condition ConditionOfIntegers(Relation relation) {
  switch (relation) {
    case Relation::kEqual:
      return {Cond::kEQ};
    case Relation::kLess:
      return {Cond::kLT};
    case Relation::kBelow:
      return {Cond::kLO};
    default:
      return {Cond::kNE};
  }
}

// If operands are unordered, fcmp sets the carry and overflow flags.
Condition ConditionOfFloats(const Comparison& comparison) {
  const bool unordered = comparison.or_unordered;
  switch (comparison.relation) {
    case Relation::kEqual:
      return {Cond::kEQ, unordered};
    case Relation::kLess:
      return {unordered ? Cond::kLT : Cond::kMI};
    case Relation::kLessOrEqual:
      return {unordered ? Cond::kLE : Cond::kLS};
    case Relation::kUnordered:
      return {Cond::kVS};
    default:
      return {Cond::kNE};
  }
}

class Comparer : public Operands {
 public:
  using Operands::Operands;

  Condition Compare(const Comparison& comparison);

 private:
  void CompareIntegers();
};

Condition Comparer::Compare(const Comparison& comparison) {
  switch (comparison.of) {
    case Of::kRefs:
      LoadRegister(/*real=*/false, 0, RefAt(OperandRegister(0)));
      LoadRegister(/*real=*/false, 1, RefAt(OperandRegister(1)));
      a_.cmp(a64::x0, a64::x1);
      break;
    case Of::kRef:
      LoadRegister(/*real=*/false, 0, RefAt(OperandRegister(0)));
      a_.cmp(a64::x0, 0);
      break;
    case Of::kInteger:
      a_.cmp(In32or64(In(0), 0), 0);
      break;
    case Of::kIntegers:
      CompareIntegers();
      break;
    case Of::kFloats: {
      const bool one = comparison.relation == Relation::kUnordered;
      const a64::Vec left = RealIn(In(0), 0);
      a_.fcmp(left, one ? left : RealIn(In(1), 1));
      return ConditionOfFloats(comparison);
    }
  }
  return ConditionOfIntegers(comparison.relation);
}

void Comparer::CompareIntegers() {
  const a64::Gp left = In32or64(In(0), 0);
  int64_t value;
  if (IsSigned(In(1), &value)) {
    CompareConstant(a_, left, value);
  } else {
    a_.cmp(left, In32or64(In(1), 1));
  }
}

}  // namespace

void SetIf(Assembly& code, const Comparison& comparison) {
  a64::Assembler& a = AssemblerOf(code);
  const Condition condition = Comparer(code).Compare(comparison);
  a.cset(a64::w0, ConditionOf(condition.code));
  if (condition.or_unordered) {
    // Adds 1 to zero if they are unordered.
    a.csinc(a64::w0, a64::w0, a64::wzr, ConditionOf(Cond::kVC));
  }
}

void BranchIf(Assembly& code, const Comparison& comparison,
              const asmjit::Label& yes, const asmjit::Label& no) {
  a64::Assembler& a = AssemblerOf(code);
  const Condition condition = Comparer(code).Compare(comparison);
  if (condition.or_unordered) a.b(Cond::kVS, yes);
  if (code.IsNext(yes)) {
    a.b(asmjit::arm::negateCond(condition.code), no);
    return;
  }
  a.b(condition.code, yes);
  code.JumpTo(no);
}

}  // namespace eyrie::vm::jit
