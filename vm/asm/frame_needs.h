// The needs of a function's instructions: registers, features and globals.
//
// The assembler declares exactly these. The disassembler prints only what a
// module declares beyond them.
// Tested by assembler_test.cc.
#ifndef EYRIE_VM_ASM_FRAME_NEEDS_H_
#define EYRIE_VM_ASM_FRAME_NEEDS_H_

#include <cstdint>
#include <span>

#include "vm/asm/instruction.h"
#include "vm/isa/callconv.h"
#include "vm/isa/value.h"

namespace eyrie::vm {

struct FrameNeeds {
  uint32_t i32_registers = 0;
  uint32_t ref_registers = 0;
  uint32_t blocks = 0;
  uint32_t requirements = 0;  // Feature bits
  uint32_t global_bytes = 0;
  uint32_t global_refs = 0;

  void AddArguments(const CallingConvention& own);
  void AddInstruction(const Instruction& instruction);
  // Adds the registers of a list whose types are known. Does nothing if their
  // numbers differ.
  void AddValues(std::span<const uint16_t> registers,
                 std::span<const ValueType> types);
  // Adds the registers of a call, with the types of its callee's convention, or
  // of a return, with those of the function's own.
  void AddCall(const Instruction& call, const CallingConvention& callee);
  void AddReturn(const Instruction& ret, const CallingConvention& own);

 private:
  void AddRegister(uint64_t reg, uint32_t width);
  void AddOperand(OperandKind kind, const OperandValue& value);
};

// Reports whether the row is a call: its first operand is a function.
inline bool IsCall(const OpInfo& op) {
  return op.reads.count != 0 && op.reads[0] == OperandKind::kFunc;
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_FRAME_NEEDS_H_
