// An instruction as data: decoded from bytecode, encoded to it, printed.
//
// A decoder of its own, written from operand.h alone: what the tests hold an
// engine against must not share the engine's reading of the bytes.
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

// A branch target with the moves on the way, as pairs of from and to.
struct Target {
  uint32_t block = 0;
  std::vector<uint16_t> moves;
};

struct Operand {
  vm::OperandKind kind = vm::OperandKind::kInvalid;
  // A register, a constant's bits, a place in the module, or a block: its
  // offset if decoded, its number if to be encoded.
  uint64_t bits = 0;
  std::vector<uint16_t> list;  // registers, segments, or a remap's pairs
  std::vector<Target> cases;
  absl::string_view text;  // outlives the instruction

  uint16_t reg() const { return static_cast<uint16_t>(bits); }
  uint32_t place() const { return static_cast<uint32_t>(bits); }
  bool wide() const {  // of a register or list: i64 or f64
    return vm::IsWide(kind);
  }
};

struct Instruction {
  const vm::OpInfo* info = nullptr;
  std::vector<Operand> operands;  // read ones, then written ones
  uint32_t offset = 0;            // of a decoded one, and that of the next
  uint32_t end = 0;

  size_t read_count() const { return info->reads.count; }
  const Operand& result(size_t i = 0) const {
    return operands[read_count() + i];
  }
};

// A function's blocks, without their marks; targets are their numbers.
using Blocks = std::vector<std::vector<Instruction>>;

// The instruction at an offset of verified code.
Instruction Decode(std::span<const uint8_t> code, uint32_t offset);

std::vector<uint8_t> Encode(const Blocks& blocks);

// "add.i32 i0 i1 i2", as module_builder.h spells it; blocks as "^b3".
std::string ToText(const Instruction& instruction);
// A line per instruction, with its offset.
std::string ToText(const Blocks& blocks);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_ORACLE_INSTRUCTION_H_
