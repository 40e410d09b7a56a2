// An instruction as data: decoded from bytecode, encoded to it, printed.
//
// This decoder is independent and uses only operand.h, because tests that check
// an engine must not share the engine's decoder.
// Tested by instruction_test.cc, random_programs_test.cc.
#ifndef EYRIE_TESTS_ORACLE_INSTRUCTION_H_
#define EYRIE_TESTS_ORACLE_INSTRUCTION_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"

namespace eyrie::tests {

// A branch target with its register moves, as (from, to) pairs.
struct Target {
  uint32_t block = 0;
  std::vector<uint16_t> moves;
};

struct Operand {
  vm::OperandKind kind = vm::OperandKind::kInvalid;
  // A register, a constant's bits, an ordinal in the module, or a block: its
  // offset after decoding, its number before encoding.
  uint64_t bits = 0;
  std::vector<uint16_t> list;  // registers, segments, or a remap's pairs
  std::vector<Target> cases;
  absl::string_view text;  // must outlive the instruction

  uint16_t reg() const { return static_cast<uint16_t>(bits); }
  uint32_t place() const { return static_cast<uint32_t>(bits); }
  bool wide() const {  // of a register or list: i64 or f64
    return vm::IsWide(kind);
  }
};

struct Instruction {
  const vm::OpInfo* info = nullptr;
  std::vector<Operand> operands;  // operands, then results
  uint32_t offset = 0;            // in decoded code, and the next one
  uint32_t end = 0;

  size_t read_count() const { return info->reads.count; }
  const Operand& result(size_t i = 0) const {
    return operands[read_count() + i];
  }
};

// A function's blocks, without block markers. Branch targets are block numbers.
using Blocks = std::vector<std::vector<Instruction>>;

// Decodes the instruction at an offset of verified code.
Instruction Decode(std::span<const uint8_t> code, uint32_t offset);

std::vector<uint8_t> Encode(const Blocks& blocks);

// Returns "add.i32 i0 i1 i2", as module_builder.h spells it; blocks as "^b3".
std::string ToText(const Instruction& instruction);
// Returns one line per instruction, with its offset.
std::string ToText(const Blocks& blocks);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_ORACLE_INSTRUCTION_H_
