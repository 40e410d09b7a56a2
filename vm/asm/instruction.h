// One instruction as values, and its encoding.
//
// Encode and Decode are inverse functions for verified code. Both use the rows
// of opcodes.def, so that the assembler, the disassembler and program
// generators need no lists of their own.
// Tested by instruction_test.cc.
#ifndef EYRIE_VM_ASM_INSTRUCTION_H_
#define EYRIE_VM_ASM_INSTRUCTION_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"

namespace eyrie::vm {

// A case of a branch table. `remap` has pairs of source and target.
struct BranchCase {
  uint32_t target = 0;
  std::vector<uint16_t> remap;
};

// One operand or result. Its kind determines which field holds it.
struct OperandValue {
  // A register, the bits of a constant, an ordinal (with kImportBit for an
  // import), the position of a global, or the offset of a block.
  uint64_t number = 0;
  std::vector<uint16_t> list;  // registers, segments, or a remap's pairs
  std::string text;            // a string of at most 65535 bytes
  std::vector<BranchCase> cases;
};

struct Instruction {
  const OpInfo* op = nullptr;
  std::vector<OperandValue> reads;   // has op->reads.count elements
  std::vector<OperandValue> writes;  // has op->writes.count elements

  static Instruction Create(const OpInfo& op) {
    return {&op, std::vector<OperandValue>(op.reads.count),
            std::vector<OperandValue>(op.writes.count)};
  }
};

// Appends an instruction to a function's code; code[0] must be its first byte.
// Lists must not have more than 65535 elements. If `blocks` is not null,
// appends the offsets of fields that contain block offsets.
void Encode(const Instruction& instruction, std::vector<uint8_t>& code,
            std::vector<uint32_t>* blocks = nullptr);

// Returns the instruction at `pc` of a verified function's code, and moves `pc`
// to the next one.
Instruction Decode(std::span<const uint8_t> code, uint32_t& pc);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_INSTRUCTION_H_
