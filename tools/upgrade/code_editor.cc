// Encodes at once, and fills in the offsets of blocks at the end.
#include "tools/upgrade/code_editor.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/byte_reader.h"
#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"

namespace eyrie::tools {
namespace {

using vm::Instruction;
using vm::Op;

// New code may have this many bytes for each old one, and kMoreBytes.
constexpr size_t kMostGrowth = 32;
constexpr size_t kMoreBytes = size_t{1} << 16;

constexpr uint32_t kFirstLabel = 0x80000000;

absl::Status TooMany(absl::string_view what, uint64_t value, uint64_t most) {
  return absl::ResourceExhaustedError(
      absl::StrCat("A rewritten function would have ", value, " ", what,
                   "; the limit is ", most, "."));
}

}  // namespace

CodeEditor::CodeEditor(const vm::FunctionDef& old)
    : old_size_(old.bytecode.size()),
      i32_registers_(old.i32_register_count),
      ref_registers_(old.ref_register_count) {}

bool CodeEditor::is_too_long() const {
  return code_.size() > old_size_ * kMostGrowth + kMoreBytes;
}

void CodeEditor::BeginAt(uint32_t offset) {
  places_[offset] = static_cast<uint32_t>(code_.size());
  scratch_i32_.used = scratch_i64_.used = scratch_ref_.used = 0;
}

void CodeEditor::Add(const Instruction& instruction) {
  if (is_too_long()) return;  // Finish reports it
  if (instruction.op->op == Op::kBlock) ++blocks_;
  vm::Encode(instruction, code_, &fields_);
}

void CodeEditor::Add(Op op, std::vector<uint64_t> reads,
                     std::vector<uint64_t> writes) {
  Instruction instruction = Instruction::Create(vm::InfoOf(op));
  for (size_t i = 0; i < reads.size(); ++i) {
    instruction.reads[i].number = reads[i];
  }
  for (size_t i = 0; i < writes.size(); ++i) {
    instruction.writes[i].number = writes[i];
  }
  Add(instruction);
}

uint16_t CodeEditor::NewI32() {
  return static_cast<uint16_t>(i32_registers_++ & vm::kMaxI32Registers);
}

uint16_t CodeEditor::NewI64() {
  i32_registers_ += i32_registers_ % 2;
  i32_registers_ += 2;
  return static_cast<uint16_t>((i32_registers_ - 2) & vm::kMaxI32Registers);
}

uint16_t CodeEditor::NewRef() {
  return static_cast<uint16_t>(vm::kRefBit | (ref_registers_++ & vm::kRefMask));
}

uint32_t CodeEditor::NewLabel() { return kFirstLabel + labels_++; }

void CodeEditor::AddBlock(uint32_t label) {
  places_[label] = static_cast<uint32_t>(code_.size());
  Add(Op::kBlock, {});
}

void CodeEditor::AddMoves(std::vector<uint16_t> pairs) {
  const uint32_t next = NewLabel();
  Instruction branch = Instruction::Create(vm::InfoOf(Op::kBranch));
  branch.reads[0].number = next;
  branch.reads[1].list = std::move(pairs);
  Add(branch);
  AddBlock(next);
}

void CodeEditor::AddDiscards(std::vector<uint16_t> refs) {
  if (refs.empty()) return;
  for (uint16_t& reg : refs) reg &= ~vm::kMoveBit;
  Instruction discard = Instruction::Create(vm::InfoOf(Op::kDiscardRefs));
  discard.reads[0].list = std::move(refs);
  Add(discard);
}

void CodeEditor::AddNull(uint16_t reg) {
  if (null_ == 0) null_ = NewRef();
  AddMoves({null_, static_cast<uint16_t>(reg & ~vm::kMoveBit)});
}

absl::Status CodeEditor::Finish(vm::ModulePlan::Function& function) {
  if (is_too_long()) {
    return TooMany("bytes of code", code_.size(),
                   old_size_ * kMostGrowth + kMoreBytes);
  }
  if (i32_registers_ > vm::kMaxI32Registers) {
    return TooMany("i32 registers", i32_registers_, vm::kMaxI32Registers);
  }
  if (ref_registers_ > vm::kMaxRefRegisters) {
    return TooMany("ref registers", ref_registers_, vm::kMaxRefRegisters);
  }
  if (blocks_ > vm::kMaxBlocks) {
    return TooMany("blocks", blocks_, vm::kMaxBlocks);
  }
  for (const uint32_t field : fields_) {
    const uint32_t place =
        places_[LoadLittleEndian<uint32_t>(code_.data() + field)];
    for (int i = 0; i < 4; ++i) {
      code_[field + i] = static_cast<uint8_t>(place >> (8 * i));
    }
  }
  for (auto& location : function.locations) {
    const auto place = places_.find(location.offset);
    if (place != places_.end()) location.offset = place->second;
  }
  function.code = std::move(code_);
  function.i32_registers = i32_registers_;
  function.ref_registers = ref_registers_;
  function.blocks = blocks_;
  return absl::OkStatus();
}

}  // namespace eyrie::tools
