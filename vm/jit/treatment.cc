#include "vm/jit/treatment.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "asmjit/core.h"

namespace eyrie::vm::jit {
namespace {

// Instructions that have machine code of their own.
constexpr Op kInlineOps[] = {
    Op::kGlobalLoadI32,  Op::kGlobalLoadI64,  Op::kGlobalLoadF32,
    Op::kGlobalLoadF64,  Op::kGlobalStoreI32, Op::kGlobalStoreI64,
    Op::kGlobalStoreF32, Op::kGlobalStoreF64, Op::kConstI32,
    Op::kConstI64,       Op::kConstF32,       Op::kConstF64,
    Op::kSelectI32,      Op::kSelectI64,      Op::kSelectF32,
    Op::kSelectF64,      Op::kAddI32,         Op::kAddI64,
    Op::kAddF32,         Op::kAddF64,         Op::kSubI32,
    Op::kSubI64,         Op::kSubF32,         Op::kSubF64,
    Op::kMulI32,         Op::kMulI64,         Op::kMulF32,
    Op::kMulF64,         Op::kFmaI32,         Op::kFmaI64,
    Op::kFmaF32,         Op::kFmaF64,         Op::kListGetI32,
    Op::kListGetI64,     Op::kListGetF32,     Op::kListGetF64,
    Op::kListSetI32,     Op::kListSetI64,     Op::kListSetF32,
    Op::kListSetF64,     Op::kBufferLoadI32,  Op::kBufferLoadI64,
    Op::kBufferLoadF32,  Op::kBufferLoadF64,  Op::kBufferStoreI32,
    Op::kBufferStoreI64, Op::kBufferStoreF32, Op::kBufferStoreF64,
    Op::kAbsI32,         Op::kAbsI64,         Op::kAbsF32,
    Op::kAbsF64,         Op::kNotI32,         Op::kNotI64,
    Op::kAndI32,         Op::kAndI64,         Op::kOrI32,
    Op::kOrI64,          Op::kXorI32,         Op::kXorI64,
    Op::kShlI32,         Op::kShlI64,         Op::kCtlzI32,
    Op::kCtlzI64,        Op::kCmpEqI32,       Op::kCmpEqI64,
    Op::kCmpNeI32,       Op::kCmpNeI64,       Op::kCmpNzI32,
    Op::kCmpNzI64,       Op::kDivF32,         Op::kDivF64,
    Op::kNegF32,         Op::kNegF64,         Op::kCeilF32,
    Op::kCeilF64,        Op::kFloorF32,       Op::kFloorF64,
    Op::kMinF32,         Op::kMinF64,         Op::kMaxF32,
    Op::kMaxF64,         Op::kSqrtF32,        Op::kSqrtF64,
    Op::kRsqrtF32,       Op::kRsqrtF64,       Op::kCastSi32F32,
    Op::kCastSi32F64,    Op::kCastUi32F32,    Op::kCastUi32F64,
    Op::kCastSi64F32,    Op::kCastSi64F64,    Op::kCmpNanF32,
    Op::kCmpNanF64,      Op::kConstI32Zero,   Op::kConstI64Zero,
    Op::kConstF32Zero,   Op::kConstF64Zero,   Op::kDivI32S,
    Op::kDivI32U,        Op::kRemI32S,        Op::kRemI32U,
    Op::kDivI64S,        Op::kDivI64U,        Op::kRemI64S,
    Op::kRemI64U,        Op::kShrI32S,        Op::kShrI32U,
    Op::kShrI64S,        Op::kShrI64U,        Op::kTruncI32I8,
    Op::kTruncI32I16,    Op::kTruncI64I32,    Op::kExtI8I32S,
    Op::kExtI8I32U,      Op::kExtI16I32S,     Op::kExtI16I32U,
    Op::kExtI32I64S,     Op::kExtI32I64U,     Op::kCmpLtI32S,
    Op::kCmpLtI32U,      Op::kCmpLtI64S,      Op::kCmpLtI64U,
    Op::kMinI32S,        Op::kMinI32U,        Op::kMaxI32S,
    Op::kMaxI32U,        Op::kMinI64S,        Op::kMinI64U,
    Op::kMaxI64S,        Op::kMaxI64U,        Op::kCmpEqRef,
    Op::kCmpNeRef,       Op::kCmpNzRef,       Op::kCmpEqF32O,
    Op::kCmpEqF32U,      Op::kCmpNeF32O,      Op::kCmpNeF32U,
    Op::kCmpLtF32O,      Op::kCmpLtF32U,      Op::kCmpLteF32O,
    Op::kCmpLteF32U,     Op::kCmpEqF64O,      Op::kCmpEqF64U,
    Op::kCmpNeF64O,      Op::kCmpNeF64U,      Op::kCmpLtF64O,
    Op::kCmpLtF64U,      Op::kCmpLteF64O,     Op::kCmpLteF64U,
    Op::kRoundF32Even,   Op::kRoundF64Even,   Op::kTruncF64F32,
    Op::kExtF32F64,      Op::kBitcastI32F32,  Op::kBitcastF32I32,
    Op::kBitcastI64F64,  Op::kBitcastF64I64,  Op::kBufferLoadI8U,
    Op::kBufferLoadI8S,  Op::kBufferLoadI16U, Op::kBufferLoadI16S,
    Op::kBufferStoreI8,  Op::kBufferStoreI16, Op::kBufferLength,
    Op::kListSize,       Op::kConstRefZero,   Op::kAssignRef,
    Op::kConstRefRodata, Op::kGlobalLoadRef,  Op::kDiscardRefs,
    Op::kCondBranch,     Op::kBranchTable,
};

// Inlined instructions on numbers that may fail.
constexpr Op kDivisions[] = {
    Op::kDivI32S, Op::kDivI32U, Op::kRemI32S, Op::kRemI32U,
    Op::kDivI64S, Op::kDivI64U, Op::kRemI64S, Op::kRemI64U,
};

constexpr auto MakeInline() {
  std::array<bool, kOpCount> table = {};
  for (Op op : kInlineOps) table[RowOf(InfoOf(op))] = true;
  return table;
}
constexpr auto kInline = MakeInline();

}  // namespace

Treatment TreatmentOf(const Instruction& i) {
  if (i.form == Form::kLowered) {
    if (i.is(Lowered::kCallFunction)) return Treatment::kCall;
    return i.is(Lowered::kCallImport) ? Treatment::kStep : Treatment::kInline;
  }
  return kInline[i.row] ? Treatment::kInline : Treatment::kStep;
}

bool Computes(const Instruction& i) {
  if (i.form != Form::kOp || !kInline[i.row]) return false;
  auto number = [](OperandKind kind) {
    return (IsRegister(kind) && kind < OperandKind::kRef) ||
           (kind >= OperandKind::kImmI32 && kind <= OperandKind::kImmF64);
  };
  return std::ranges::all_of(i.op().reads, number) &&
         std::ranges::all_of(i.op().writes, number) &&
         std::ranges::find(kDivisions, i.op().op) == std::end(kDivisions);
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

bool HasNeededInstructions() {
  // Uses asmjit: the compiler's builtin would take time at every start.
  const asmjit::CpuInfo& machine = asmjit::CpuInfo::host();
  return machine.hasFeature(asmjit::CpuFeatures::X86::kSSE4_1) &&
         machine.hasFeature(asmjit::CpuFeatures::X86::kLZCNT);
}

}  // namespace eyrie::vm::jit
