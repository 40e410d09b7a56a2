#include "vm/jit/treatment.h"

#include <algorithm>

namespace eyrie::vm::jit {
Treatment TreatmentOf(const Instruction& i) {
  if (i.form == Form::kLowered) {
    if (i.is(Lowered::kCallFunction)) return Treatment::kCall;
    return i.is(Lowered::kCallImport) ? Treatment::kStep : Treatment::kInline;
  }
  return i.op().has(kHasMachineCode) ? Treatment::kInline : Treatment::kStep;
}

bool Computes(const Instruction& i) {
  if (i.form != Form::kOp || !i.op().has(kHasMachineCode)) return false;
  auto number = [](OperandKind kind) {
    return (IsRegister(kind) && kind < OperandKind::kRef) ||
           (kind >= OperandKind::kImmI32 && kind <= OperandKind::kImmF64);
  };
  return std::ranges::all_of(i.op().reads, number) &&
         std::ranges::all_of(i.op().writes, number) && !i.op().has(kDivides);
}

bool PaysToCompile(const Program& program) {
  // In units of 0.1 ns, on processors of 2023.
  constexpr int kEntering = 120;
  constexpr int kInline = 8;  // gain of a compiled instruction
  constexpr int kImport = 15;
  constexpr int kStep = 30;
  int gain = -kEntering;
  for (const Instruction& i : program.instructions) {
    if (TakesFuel(i) || i.is(Lowered::kCallFunction)) return true;
    if (i.is(Lowered::kCallImport)) {
      gain -= kImport;
    } else {
      gain += TreatmentOf(i) == Treatment::kInline ? kInline : -kStep;
    }
  }
  return gain > 0;
}

}  // namespace eyrie::vm::jit
