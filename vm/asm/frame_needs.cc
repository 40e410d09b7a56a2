// Counts registers by the kinds of operands.
#include "vm/asm/frame_needs.h"

#include <algorithm>

#include "vm/isa/version.h"

namespace eyrie::vm {
namespace {

constexpr uint32_t kMaxGlobal = 0xFFFFFFF0;

uint32_t WidthOf(ValueType type) { return IsWide(type) ? 2 : 1; }

}  // namespace

void FrameNeeds::AddRegister(uint64_t reg, uint32_t width) {
  const auto bits = static_cast<uint16_t>(reg);
  if (IsRefRegister(bits)) {
    ref_registers = std::max(ref_registers, RefIndex(bits) + 1u);
  } else {
    i32_registers = std::max(i32_registers, bits + width);
  }
}

void FrameNeeds::AddOperand(OperandKind kind, const OperandValue& value) {
  if (IsRegister(kind)) {
    return AddRegister(value.number, IsWide(kind) ? 2 : 1);
  }
  if (IsRegisterList(kind) || kind == OperandKind::kRemap) {
    for (uint16_t reg : value.list) AddRegister(reg, IsWide(kind) ? 2 : 1);
    return;
  }
  for (const BranchCase& c : value.cases) {
    for (uint16_t reg : c.remap) AddRegister(reg, 1);
  }
  const uint32_t place =
      static_cast<uint32_t>(std::min<uint64_t>(value.number, kMaxGlobal));
  switch (kind) {
    case OperandKind::kGlobalI32:
    case OperandKind::kGlobalF32:
      global_bytes = std::max(global_bytes, place + 4);
      break;
    case OperandKind::kGlobalI64:
    case OperandKind::kGlobalF64:
      global_bytes = std::max(global_bytes, place + 8);
      break;
    case OperandKind::kGlobalRef:
      global_refs = std::max(global_refs, place + 1);
      break;
    default:
      break;
  }
}

void FrameNeeds::AddArguments(const CallingConvention& own) {
  const RegisterCounts counts = own.argument_registers();
  i32_registers = std::max(i32_registers, counts.i32);
  ref_registers = std::max(ref_registers, counts.ref);
}

void FrameNeeds::AddInstruction(const Instruction& instruction) {
  const OpInfo& op = *instruction.op;
  for (int i = 0; i < op.reads.count; ++i) {
    AddOperand(op.reads[i], instruction.reads[i]);
  }
  for (int i = 0; i < op.writes.count; ++i) {
    AddOperand(op.writes[i], instruction.writes[i]);
  }
  if (op.op == Op::kBlock) ++blocks;
  if (op.set == OpSet::kF32) requirements |= kFeatureF32;
  if (op.set == OpSet::kF64) requirements |= kFeatureF64;
}

void FrameNeeds::AddValues(std::span<const uint16_t> registers,
                           std::span<const ValueType> types) {
  if (registers.size() != types.size()) return;
  for (size_t i = 0; i < types.size(); ++i) {
    AddRegister(registers[i], WidthOf(types[i]));
  }
}

void FrameNeeds::AddCall(const Instruction& call,
                         const CallingConvention& callee) {
  const OpInfo& op = *call.op;
  for (int i = 0; i < op.reads.count; ++i) {
    if (op.reads[i] == OperandKind::kRegList && !callee.is_variadic()) {
      AddValues(call.reads[i].list, callee.argument_types());
    }
  }
  AddValues(call.writes[0].list, callee.result_types());
}

void FrameNeeds::AddReturn(const Instruction& ret,
                           const CallingConvention& own) {
  AddValues(ret.reads[0].list, own.result_types());
}

}  // namespace eyrie::vm
