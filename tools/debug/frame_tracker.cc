// Records the types of an instruction's results when the next one begins.
#include "tools/debug/frame_tracker.h"

#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "vm/isa/callconv.h"
#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"
#include "vm/isa/value.h"
#include "vm/lower/code_walk.h"
#include "vm/module/module_def.h"
#include "vm/module/verifier.h"
#include "vm/run/bytecode_module.h"

namespace eyrie::tools {
namespace {

using vm::OperandKind;
using Kinds = std::vector<RegisterKind>;

void Set(Kinds& kinds, uint16_t reg, RegisterKind kind) {
  if (vm::IsRefRegister(reg) || reg >= kinds.size()) return;
  // Writing half of a pair ends the pair.
  if (kinds[reg] == RegisterKind::kUpper && reg > 0) {
    kinds[reg - 1] = RegisterKind::kI32;
  }
  const bool was_wide =
      kinds[reg] == RegisterKind::kI64 || kinds[reg] == RegisterKind::kF64;
  if (was_wide && reg + size_t{1} < kinds.size()) {
    kinds[reg + size_t{1}] = RegisterKind::kI32;
  }
  kinds[reg] = kind;
  const bool is_wide = kind == RegisterKind::kI64 || kind == RegisterKind::kF64;
  if (is_wide && reg + size_t{1} < kinds.size()) {
    kinds[reg + size_t{1}] = RegisterKind::kUpper;
  }
}

RegisterKind KindOf(vm::ValueType type) {
  switch (type) {
    case vm::ValueType::kI64:
      return RegisterKind::kI64;
    case vm::ValueType::kF32:
      return RegisterKind::kF32;
    case vm::ValueType::kF64:
      return RegisterKind::kF64;
    default:
      return RegisterKind::kI32;
  }
}

RegisterKind KindOf(OperandKind kind) {
  switch (kind) {
    case OperandKind::kI64:
      return RegisterKind::kI64;
    case OperandKind::kF32:
      return RegisterKind::kF32;
    case OperandKind::kF64:
      return RegisterKind::kF64;
    default:
      return RegisterKind::kI32;
  }
}

// Returns the moves of the first edge that leads to an instruction. The first
// instruction of a block follows the block's marker.
const std::vector<uint16_t>* MovesTo(const vm::Instruction& instruction,
                                     uint32_t offset) {
  const vm::OperandList& kinds = instruction.op->reads;
  const auto leads = [offset](uint64_t block) {
    return block + vm::kBlockMarkSize == offset;
  };
  for (int i = 0; i < kinds.count; ++i) {
    if (kinds[i] == OperandKind::kBlock && i + 1 < kinds.count &&
        kinds[i + 1] == OperandKind::kRemap &&
        leads(instruction.reads[i].number)) {
      return &instruction.reads[i + 1].list;
    }
    if (kinds[i] != OperandKind::kCases) continue;
    for (const vm::BranchCase& one : instruction.reads[i].cases) {
      if (leads(one.target)) return &one.remap;
    }
  }
  return nullptr;
}

void Move(Kinds& kinds, const std::vector<uint16_t>& pairs) {
  const Kinds before = kinds;
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (vm::IsRefRegister(pairs[i]) || pairs[i] >= before.size() ||
        pairs[i + 1] >= kinds.size()) {
      continue;
    }
    kinds[pairs[i + 1]] = before[pairs[i]];
  }
}

// Returns the types of a call's results, or null for other instructions.
const std::vector<vm::ValueType>* ResultsOf(const vm::VerifiedModule& module,
                                            const vm::Instruction& call) {
  const vm::OperandList& kinds = call.op->reads;
  if (kinds.count == 0 || kinds[0] != OperandKind::kFunc) return nullptr;
  const auto callee = static_cast<uint32_t>(call.reads[0].number);
  return (callee & vm::kImportBit) != 0
             ? &module.import_signature(callee & ~vm::kImportBit).result_types()
             : &module.signature(callee).result_types();
}

Kinds KindsAtEntry(const vm::Frame& frame) {
  const vm::FunctionCode& function = *frame.function;
  const vm::ModuleDef& def = frame.state->module->def();
  Kinds kinds(def.functions[function.ordinal].i32_register_count);
  for (uint32_t i = 0; i < function.argument_count; ++i) {
    const vm::ArgumentPlace& place = function.arguments[i];
    if (place.type != vm::ValueType::kRef) {
      Set(kinds, place.reg, KindOf(place.type));
    }
  }
  return kinds;
}

}  // namespace

// Records the effects of the last instruction before the one at `offset`.
void FrameTracker::Finish(Entry& entry, uint32_t offset) {
  if (entry.last == nullptr) return;
  const vm::Instruction& last = *entry.last;
  if (const auto* moves = MovesTo(last, offset)) Move(entry.kinds, *moves);
  const auto* results = ResultsOf(entry.frame->state->module->verified(), last);
  for (int i = 0; i < last.op->writes.count; ++i) {
    const OperandKind kind = last.op->writes[i];
    const vm::OperandValue& written = last.writes[i];
    if (vm::IsRegister(kind)) {
      Set(entry.kinds, static_cast<uint16_t>(written.number), KindOf(kind));
    } else if (vm::IsRegisterList(kind) && results != nullptr) {
      for (size_t j = 0; j < written.list.size() && j < results->size(); ++j) {
        Set(entry.kinds, written.list[j], KindOf((*results)[j]));
      }
    }
  }
}

// Frames of a stack have ascending addresses; those above the topmost have
// ended.
FrameTracker::Entry& FrameTracker::EntryOf(const vm::Frame& frame) {
  while (!entries_.empty() && std::greater<>()(entries_.back().frame, &frame)) {
    entries_.pop_back();
  }
  if (!entries_.empty() && entries_.back().frame == &frame) {
    Entry& entry = entries_.back();
    const bool returned =
        entry.last != nullptr && entry.last->op->op == vm::Op::kReturn;
    if (entry.function == frame.function && entry.caller == frame.caller &&
        !returned) {
      return entry;
    }
    entries_.pop_back();  // an ended frame at the same address
  }
  entries_.push_back(
      {&frame, frame.function, frame.caller, KindsAtEntry(frame), nullptr});
  return entries_.back();
}

void FrameTracker::Before(const vm::Frame& frame, uint32_t offset) {
  Entry& entry = EntryOf(frame);
  Finish(entry, offset);
  entry.last = InstructionAt(*frame.function, offset);
}

const vm::Instruction* FrameTracker::InstructionAt(
    const vm::FunctionCode& function, uint32_t offset) {
  if (last_function_ != &function) {
    last_function_ = &function;
    last_code_ = &code_[&function];
    last_code_->resize(function.code_size);
  }
  std::unique_ptr<const vm::Instruction>& found = (*last_code_)[offset];
  if (found == nullptr) {
    found = std::make_unique<const vm::Instruction>(
        vm::Decode({function.code, function.code_size}, offset));
  }
  return found.get();
}

void FrameTracker::SetKind(const vm::Frame& frame, uint16_t index,
                           RegisterKind kind) {
  for (Entry& entry : entries_) {
    if (entry.frame == &frame) Set(entry.kinds, index, kind);
  }
}

std::vector<RegisterKind> FrameTracker::KindsOf(const vm::Frame& frame) const {
  for (size_t i = entries_.size(); i-- > 0;) {
    if (entries_[i].frame == &frame) return entries_[i].kinds;
  }
  return {};
}

}  // namespace eyrie::tools
