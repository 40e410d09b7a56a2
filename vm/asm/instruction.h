// One instruction as values, and its bytes.
//
// Encode and Decode are inverses for verified code. Both follow the row of
// opcodes.def, so whoever makes code from values (the assembler, a generator of
// programs) or values from code (the disassembler) needs no list of its own.
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

// A case of a branch table. `remap` is pairs of from and to.
struct BranchCase {
  uint32_t target = 0;
  std::vector<uint16_t> remap;
};

// One operand or result; its kind says which field holds it.
struct OperandValue {
  // A register, the bits of an immediate, an ordinal with kImportBit where it
  // is one, a global's place, the offset of a block.
  uint64_t number = 0;
  std::vector<uint16_t> list;  // registers, segments, or a remap's pairs
  std::string text;            // of a string, at most 65535 bytes
  std::vector<BranchCase> cases;
};

struct Instruction {
  const OpInfo* op = nullptr;
  std::vector<OperandValue> reads;   // as many as op->reads
  std::vector<OperandValue> writes;  // as many as op->writes

  static Instruction Create(const OpInfo& op) {
    return {&op, std::vector<OperandValue>(op.reads.count),
            std::vector<OperandValue>(op.writes.count)};
  }
};

// Appends an instruction to a function's code, whose first byte is code[0].
// Lists longer than 65535 are the caller's to refuse. Where `blocks` is not
// null, the offsets of the fields that hold block offsets are added to it.
void Encode(const Instruction& instruction, std::vector<uint8_t>& code,
            std::vector<uint32_t>* blocks = nullptr);

// Reads the instruction at `pc` of a verified function's code; moves `pc` to
// the next one.
Instruction Decode(std::span<const uint8_t> code, uint32_t& pc);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_INSTRUCTION_H_
