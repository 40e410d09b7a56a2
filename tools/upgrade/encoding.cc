#include "tools/upgrade/encoding.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/upgrade/code_editor.h"
#include "tools/upgrade/import_call.h"
#include "vm/asm/frame_needs.h"
#include "vm/asm/instruction.h"
#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"
#include "vm/isa/release.h"

namespace eyrie::tools {
namespace {

using vm::Instruction;
using vm::Op;
using vm::OperandKind;

// The only import that may yield.
constexpr char kYieldingImport[] = "hal.fence.await";

// Returns the operands that an instruction always moves, without their bits.
std::vector<uint16_t> MovedOperands(const Instruction& instruction) {
  std::vector<uint16_t> moved;
  const vm::OpInfo& op = *instruction.op;
  if (op.op == Op::kSelectRef || op.op == Op::kSwitchRef) return moved;
  for (size_t i = 0; i < instruction.reads.size(); ++i) {
    const auto reg = static_cast<uint16_t>(instruction.reads[i].number);
    if (op.reads[static_cast<int>(i)] == OperandKind::kRefMove &&
        vm::IsMove(reg)) {
      moved.push_back(reg & ~vm::kMoveBit);
    }
  }
  return moved;
}

bool IsSingleRef(OperandKind kind) {
  return kind == OperandKind::kRef || kind == OperandKind::kRefMove;
}

// Rewrites one function.
class Encoder {
 public:
  Encoder(const vm::VerifiedModule& module, uint32_t function, int release)
      : module_(module),
        def_(module.def().functions[function]),
        function_(function),
        release_(release),
        from_(*module.def().bytecode_version),
        to_(*vm::BytecodeVersionOf(release)),
        editor_(def_),
        used_(vm::kMaxRefRegisters + 1) {}

  absl::Status Run(vm::ModulePlan::Function& function);

 private:
  absl::Status Visit(uint32_t offset, Instruction instruction);
  void AddPrologue();
  absl::Status Unknown(const Instruction& instruction, uint32_t offset,
                       absl::string_view why) const;
  void MarkUsed();
  // Clears the move bits of single operands, which version 15 ignores.
  void DropIgnoredMoves(Instruction& instruction);
  // Empties the places that a move bit empties, for version 15. The operands of
  // select.ref and switch.ref keep their references: only one is taken.
  absl::Status SpellMoves(uint32_t offset, Instruction instruction);
  void AddReturn(Instruction instruction);
  void AddPlainCall(const Instruction& call);
  // If the call may yield, adds its yieldable form and returns true.
  bool AddYieldableCall(const Instruction& call);

  const vm::VerifiedModule& module_;
  const vm::FunctionDef& def_;
  const uint32_t function_;
  const int release_;
  const vm::BytecodeVersion& from_;
  const vm::BytecodeVersion& to_;
  CodeEditor editor_;
  std::vector<bool> used_;  // refs that the code names
};

absl::Status Encoder::Unknown(const Instruction& instruction, uint32_t offset,
                              absl::string_view why) const {
  return absl::UnimplementedError(
      absl::StrCat("Release ", vm::ReleaseName(release_), " cannot express vm.",
                   instruction.op->text, " (at ",
                   PlainName(module_.def().QualifiedName(function_)), "+0x",
                   absl::Hex(offset), "): ", why));
}

// Moves arguments that were placed in order to where the code expects them: in
// gaps. Scratch registers keep the moves apart.
void Encoder::AddPrologue() {
  if (to_.arguments_may_fill_gaps ||
      module_.argument_layout(function_) == vm::ArgumentLayout::kInOrder) {
    return;
  }
  editor_.ReserveI32(module_.signature(function_).argument_registers().i32);
  vm::RegisterCounts in_order;
  vm::RegisterCounts in_gaps;
  std::vector<uint16_t> out;
  std::vector<uint16_t> back;
  for (const vm::ValueType type :
       module_.signature(function_).argument_types()) {
    const auto from = static_cast<uint16_t>(in_order.Add(type));
    const auto to = static_cast<uint16_t>(
        in_gaps.Add(type, vm::ArgumentLayout::kFillsGaps));
    if (from == to || type == vm::ValueType::kRef) continue;
    for (uint16_t half = 0; half < (vm::IsWide(type) ? 2 : 1); ++half) {
      const uint16_t scratch = editor_.NewI32();
      out.insert(out.end(), {static_cast<uint16_t>(from + half), scratch});
      back.insert(back.end(), {scratch, static_cast<uint16_t>(to + half)});
    }
  }
  editor_.Add(Op::kBlock, {});
  editor_.AddMoves(std::move(out));
  Instruction branch = Instruction::Create(vm::InfoOf(Op::kBranch));
  branch.reads[1].list = std::move(back);
  editor_.Add(branch);
}

void Encoder::MarkUsed() {
  const auto mark = [this](uint64_t reg) {
    const auto bits = static_cast<uint16_t>(reg);
    if (vm::IsRefRegister(bits)) used_[vm::RefIndex(bits)] = true;
  };
  const uint32_t arguments =
      module_.signature(function_).argument_registers().ref;
  for (uint32_t i = 0; i < arguments; ++i) used_[i] = true;
  for (uint32_t pc = 0; pc < def_.bytecode.size();) {
    const Instruction instruction = vm::Decode(def_.bytecode, pc);
    const auto operands = [&](const vm::OperandList& kinds,
                              const std::vector<vm::OperandValue>& values) {
      for (size_t i = 0; i < values.size(); ++i) {
        if (IsSingleRef(kinds[static_cast<int>(i)])) mark(values[i].number);
        if (kinds[static_cast<int>(i)] == OperandKind::kSegments) continue;
        for (const uint16_t reg : values[i].list) mark(reg);
        for (const vm::BranchCase& c : values[i].cases) {
          for (const uint16_t reg : c.remap) mark(reg);
        }
      }
    };
    operands(instruction.op->reads, instruction.reads);
    operands(instruction.op->writes, instruction.writes);
  }
}

void Encoder::DropIgnoredMoves(Instruction& instruction) {
  const auto clear = [](const vm::OperandList& kinds,
                        std::vector<vm::OperandValue>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      const OperandKind kind = kinds[static_cast<int>(i)];
      if (IsSingleRef(kind)) values[i].number &= ~uint64_t{vm::kMoveBit};
      if (kind != OperandKind::kRefList) continue;
      for (uint16_t& reg : values[i].list) reg &= ~vm::kMoveBit;
    }
  };
  clear(instruction.op->reads, instruction.reads);
  clear(instruction.op->writes, instruction.writes);
}

absl::Status Encoder::SpellMoves(uint32_t offset, Instruction instruction) {
  const vm::OpInfo& op = *instruction.op;
  uint16_t result = 0;
  bool from_place = false;  // moved out of its list or global
  if (op.writes.count != 0 && IsSingleRef(op.writes[0])) {
    result = static_cast<uint16_t>(instruction.writes[0].number);
    from_place = vm::IsMove(result);
    result &= ~vm::kMoveBit;
  }
  const std::vector<uint16_t> moved = MovedOperands(instruction);
  DropIgnoredMoves(instruction);
  editor_.Add(instruction);
  for (const uint16_t reg : moved) {
    if (reg != result) editor_.AddNull(reg);
  }
  if (!from_place) return absl::OkStatus();
  const auto& reads = instruction.reads;
  const uint16_t null = editor_.ScratchRef();
  editor_.Add(Op::kConstRefZero, {}, {null});
  if (op.op == Op::kGlobalLoadRef) {
    editor_.Add(Op::kGlobalStoreRef, {reads[0].number, reads[1].number, null});
  } else if (op.op == Op::kGlobalLoadIndirectRef) {
    editor_.Add(Op::kGlobalStoreIndirectRef,
                {reads[0].number, reads[1].number, null});
  } else if (op.op == Op::kListGetRef && reads[0].number != result) {
    editor_.Add(Op::kListSetRef, {reads[0].number, reads[1].number, null});
  } else {
    return Unknown(instruction, offset, "it moves its result.");
  }
  return absl::OkStatus();
}

// Frames of version 16 on do not drop the references that a return leaves.
void Encoder::AddReturn(Instruction instruction) {
  std::vector<uint16_t>& results = instruction.reads[0].list;
  std::vector<bool> returned(used_.size());
  for (size_t i = results.size(); i-- > 0;) {
    const uint16_t reg = results[i];
    if (!vm::IsRefRegister(reg)) continue;
    results[i] &= ~vm::kMoveBit;
    if (!returned[vm::RefIndex(reg)]) results[i] |= vm::kMoveBit;
    returned[vm::RefIndex(reg)] = true;
  }
  std::vector<uint16_t> left;
  for (uint32_t i = 0; i < used_.size(); ++i) {
    if (used_[i] && !returned[i]) {
      left.push_back(static_cast<uint16_t>(vm::kRefBit | i));
    }
  }
  editor_.AddDiscards(std::move(left));
  editor_.Add(instruction);
}

void Encoder::AddPlainCall(const Instruction& call) {
  const bool variadic = call.op->op == Op::kCallVariadicYieldable;
  Instruction plain =
      Instruction::Create(vm::InfoOf(variadic ? Op::kCallVariadic : Op::kCall));
  for (size_t i = 0; i < plain.reads.size(); ++i) {
    plain.reads[i] = call.reads[i];
  }
  plain.writes = call.writes;
  editor_.Add(plain);
  editor_.Add(Op::kBranch, {call.reads.back().number, 0});
}

bool Encoder::AddYieldableCall(const Instruction& call) {
  const Op op = call.op->op;
  if (op != Op::kCall && op != Op::kCallVariadic) return false;
  const auto import = CalledImport(call);
  if (!import.has_value() ||
      module_.def().imports[*import].full_name != kYieldingImport) {
    return false;
  }
  Instruction yieldable = Instruction::Create(vm::InfoOf(
      op == Op::kCall ? Op::kCallYieldable : Op::kCallVariadicYieldable));
  std::copy(call.reads.begin(), call.reads.end(), yieldable.reads.begin());
  yieldable.writes = call.writes;
  const uint32_t next = editor_.NewLabel();
  yieldable.reads.back().number = next;
  editor_.Add(yieldable);
  editor_.AddBlock(next);
  return true;
}

absl::Status Encoder::Visit(uint32_t offset, Instruction instruction) {
  const Op op = instruction.op->op;
  editor_.BeginAt(offset);
  if (!from_.operand_moves && to_.operand_moves) DropIgnoredMoves(instruction);
  if (from_.discards && !to_.discards) {
    // Frames drop what is left in them.
    if (op == Op::kDiscardRefs) return absl::OkStatus();
    if (op == Op::kConstRefZero) {
      editor_.AddNull(static_cast<uint16_t>(instruction.writes[0].number));
      return absl::OkStatus();
    }
    if (op == Op::kAssignRef) {
      editor_.AddMoves({static_cast<uint16_t>(instruction.reads[0].number),
                        static_cast<uint16_t>(instruction.writes[0].number)});
      return absl::OkStatus();
    }
  }
  if (!to_.yieldable_calls &&
      (op == Op::kCallYieldable || op == Op::kCallVariadicYieldable)) {
    AddPlainCall(instruction);
    return absl::OkStatus();
  }
  if (to_.yieldable_calls && AddYieldableCall(instruction)) {
    return absl::OkStatus();
  }
  if (instruction.op->since > release_) {
    return Unknown(instruction, offset,
                   absl::StrCat("it exists since release ",
                                vm::ReleaseName(instruction.op->since), "."));
  }
  if (from_.operand_moves && !to_.operand_moves) {
    return SpellMoves(offset, std::move(instruction));
  }
  if (!from_.discards && to_.discards && op == Op::kReturn) {
    AddReturn(std::move(instruction));
    return absl::OkStatus();
  }
  editor_.Add(instruction);
  return absl::OkStatus();
}

absl::Status Encoder::Run(vm::ModulePlan::Function& function) {
  MarkUsed();
  AddPrologue();
  for (uint32_t pc = 0; pc < def_.bytecode.size();) {
    const uint32_t offset = pc;
    RETURN_IF_ERROR(Visit(offset, vm::Decode(def_.bytecode, pc)));
  }
  return editor_.Finish(function);
}

}  // namespace

absl::Status ChangeEncoding(const vm::VerifiedModule& module, int release,
                            vm::ModulePlan& plan) {
  for (uint32_t i = 0; i < plan.functions.size(); ++i) {
    RETURN_IF_ERROR(Encoder(module, i, release).Run(plan.functions[i]));
  }
  const vm::BytecodeVersion& version = *vm::BytecodeVersionOf(release);
  plan.bytecode_major = version.major;
  plan.bytecode_minor = 0;
  return absl::OkStatus();
}

void SetRequirements(vm::ModulePlan& plan) {
  const bool has_calls = plan.bytecode_major >= 17;
  plan.requirements = 0;
  for (vm::ModulePlan::Function& function : plan.functions) {
    vm::FrameNeeds needs;
    bool yields = false;
    for (uint32_t pc = 0; pc < function.code.size();) {
      const Instruction instruction = vm::Decode(function.code, pc);
      needs.AddInstruction(instruction);
      const Op op = instruction.op->op;
      yields |= op == Op::kYield || op == Op::kCallYieldable ||
                op == Op::kCallVariadicYieldable;
    }
    function.requirements = needs.requirements;
    if (has_calls && yields) function.requirements |= vm::kFeatureYield;
    if (has_calls && function.ref_registers != 0) {
      function.requirements |= vm::kFeatureUnwind;
    }
    plan.requirements |= function.requirements;
  }
}

}  // namespace eyrie::tools
