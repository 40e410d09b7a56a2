// A lowered function as the compiler looks at it: instructions with the
// registers of numbers that each reads and writes, in blocks.
//
// Offsets are those of the function's lowered code, which is what a frame is
// handed back with. Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_PROGRAM_H_
#define EYRIE_VM_JIT_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "vm/lower/lowered.h"
#include "vm/lower/lowering.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/machine.h"

namespace eyrie::vm::jit {

// Which of a machine's registers suits a value; what only moves does not say.
enum class Bank : uint8_t { kAny, kInteger, kFloat };

// A register of numbers that an instruction reads or writes.
struct Access {
  uint16_t slot;
  bool wide;  // fills the next slot, too
  bool written;
  Bank bank;
  uint32_t web = 0;  // webs.h
};

struct Instruction {
  Form form;
  uint16_t row;
  uint32_t offset;
  uint32_t first_access;  // operands in their order, then results;
  uint32_t access_count;  // of moves, each from and to
  const uint8_t* at;      // operands are where lowered.h says

  bool is(Lowered lowered) const {
    return form == Form::kLowered && row == static_cast<uint16_t>(lowered);
  }
  bool is(Op op) const { return form == Form::kOp && kOps[row].op == op; }
  // Of all but kLowered.
  const OpInfo& op() const { return kOps[row]; }
};

struct Block {
  uint32_t first;  // instructions
  uint32_t end;
  uint32_t first_successor;
  uint32_t successor_count;
};

struct Program {
  const BytecodeModule* module;
  const FunctionCode* function;
  uint32_t slots;  // registers of numbers
  LoweredCode code;
  std::vector<Instruction> instructions;
  std::vector<Access> accesses;
  std::vector<Block> blocks;
  std::vector<uint32_t> successors;       // blocks
  std::vector<uint32_t> block_at_offset;  // by offset / 8; kNone: none begins
  static constexpr uint32_t kNone = 0xFFFFFFFF;

  std::span<Access> AccessesOf(const Instruction& i) {
    return {accesses.data() + i.first_access, i.access_count};
  }
  std::span<const Access> AccessesOf(const Instruction& i) const {
    return {accesses.data() + i.first_access, i.access_count};
  }
  uint32_t BlockAt(uint32_t offset) const {
    return block_at_offset[offset / 8];
  }
};

// Decodes a verified function. Empty: there is no memory for its code.
Program ReadProgram(const BytecodeModule& module, uint32_t function);

// What the compiler asks of lowered instructions.
bool IsJump(const Instruction& i);  // with moves; takes control on
bool IsFall(const Instruction& i);  // with moves; goes on behind itself
bool IsReturn(const Instruction& i);
bool TakesFuel(const Instruction& i);  // branches backwards
bool MovesWide(const Instruction& i, LoweredMove move);
// Register of a move of numbers, without LoweredMove::kWide.
inline uint16_t MoveTo(LoweredMove move) {
  return move.to & static_cast<uint16_t>(~LoweredMove::kWide);
}
std::span<const LoweredMove> MovesOf(const Instruction& i);
// Where control may go, as offsets; in the instruction's order.
std::vector<uint32_t> TargetsOf(const Instruction& i);
// Calls `visit` with the registers of references that an instruction writes, or
// takes the reference away from; a return may take more.
void VisitWrittenRefs(const Program& program, const Instruction& i,
                      const std::function<void(uint16_t)>& visit);
// True if control never reaches the next instruction.
bool EndsBlock(const Instruction& i);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_PROGRAM_H_
