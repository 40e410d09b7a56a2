// Comparisons, and branches by them, on x86-64.
#include "vm/jit/comparison.h"
#include "vm/jit/machine_code.h"
#include "vm/jit/x86_64/operands.h"

namespace eyrie::vm::jit {
namespace {

namespace Inst = x86::Inst;
using Cond = x86::CondCode;
using Of = Comparison::Of;
using Relation = Comparison::Relation;

// The flags for which a comparison is true. Some comparisons of floats must
// also test the parity flag.
struct Condition {
  enum class Parity : uint8_t { kAny, kAndOrdered, kOrUnordered };
  x86::CondCode code;
  Parity parity = Parity::kAny;
};

using Parity = Condition::Parity;

Condition ConditionOfIntegers(Relation relation) {
  switch (relation) {
    case Relation::kEqual:
      return {Cond::kE};
    case Relation::kLess:
      return {Cond::kL};
    case Relation::kBelow:
      return {Cond::kB};
    default:
      return {Cond::kNE};
  }
}

// If operands are unordered, ucomiss sets the carry, zero and parity flags. An
// ordered "less" compares the operands in the other order.
Condition ConditionOfFloats(const Comparison& comparison) {
  const bool unordered = comparison.or_unordered;
  switch (comparison.relation) {
    case Relation::kEqual:
      return {Cond::kE, unordered ? Parity::kAny : Parity::kAndOrdered};
    case Relation::kLess:
      return {unordered ? Cond::kB : Cond::kA};
    case Relation::kLessOrEqual:
      return {unordered ? Cond::kBE : Cond::kAE};
    case Relation::kUnordered:
      return {Cond::kP};
    default:
      return {Cond::kNE, Parity::kOrUnordered};
  }
}

bool IsSwapped(const Comparison& comparison) {
  return !comparison.or_unordered &&
         (comparison.relation == Relation::kLess ||
          comparison.relation == Relation::kLessOrEqual);
}

class Comparer : public Operands {
 public:
  using Operands::Operands;

  Condition Compare(const Comparison& comparison);

 private:
  Condition CompareFloats(const Comparison& comparison);
};

Condition Comparer::Compare(const Comparison& comparison) {
  switch (comparison.of) {
    case Of::kRefs:
      a_.mov(x86::rax, RefOperand(OperandRegister(0)));
      a_.cmp(x86::rax, RefOperand(OperandRegister(1)));
      break;
    case Of::kRef:
      a_.cmp(RefOperand(OperandRegister(0)), 0);
      break;
    case Of::kInteger: {
      const x86::Gp in = Integer(In(0), x86::rax);
      a_.test(in, in);
      break;
    }
    case Of::kIntegers: {
      const x86::Gp left = Integer(In(0), x86::rax);
      a_.emit(Inst::kIdCmp, left, IntegerOperand(In(1), x86::rcx));
      break;
    }
    case Of::kFloats:
      return CompareFloats(comparison);
  }
  return ConditionOfIntegers(comparison.relation);
}

Condition Comparer::CompareFloats(const Comparison& comparison) {
  const bool one = comparison.relation == Relation::kUnordered;
  const bool swapped = IsSwapped(comparison);
  const Access& last = In(one ? 0 : 1);
  const Access& left = swapped ? last : In(0);
  const Access& right = swapped ? In(0) : last;
  const x86::Xmm first = Float(left, x86::xmm0);
  a_.emit(left.wide ? Inst::kIdUcomisd : Inst::kIdUcomiss, first,
          FloatOperand(right, x86::xmm1));
  return ConditionOfFloats(comparison);
}

}  // namespace

void SetIf(Assembly& code, const Comparison& comparison) {
  x86::Assembler& a = AssemblerOf(code);
  const Condition condition = Comparer(code).Compare(comparison);
  a.emit(Inst::setccFromCond(condition.code), x86::al);
  if (condition.parity == Parity::kAndOrdered) {
    a.setnp(x86::cl);
    a.and_(x86::al, x86::cl);
  } else if (condition.parity == Parity::kOrUnordered) {
    a.setp(x86::cl);
    a.or_(x86::al, x86::cl);
  }
  a.movzx(x86::eax, x86::al);
}

void BranchIf(Assembly& code, const Comparison& comparison,
              const asmjit::Label& yes, const asmjit::Label& no) {
  x86::Assembler& a = AssemblerOf(code);
  const Condition condition = Comparer(code).Compare(comparison);
  if (condition.parity == Parity::kAndOrdered) {
    a.jp(no);
  } else if (condition.parity == Parity::kOrUnordered) {
    a.jp(yes);
  } else if (code.IsNext(yes)) {
    a.emit(Inst::jccFromCond(x86::negateCond(condition.code)), no);
    return;
  }
  a.emit(Inst::jccFromCond(condition.code), yes);
  code.JumpTo(no);
}

}  // namespace eyrie::vm::jit
