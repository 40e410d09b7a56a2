// A lowered function as the compiler sees it: basic blocks of instructions,
// with the number registers that each instruction reads and writes.
//
// Offsets refer to the function's lowered code, where execution
// continues when control leaves compiled code.
// Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_PROGRAM_H_
#define EYRIE_VM_JIT_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "vm/jit/looks.h"
#include "vm/lower/lowered.h"
#include "vm/lower/lowering.h"  // for callers
#include "vm/run/bytecode_module.h"
#include "vm/run/machine.h"

namespace eyrie::vm::jit {

// The kind of machine register that suits a value. Moves do not tell.
enum class Bank : uint8_t { kAny, kInteger, kFloat };

// A number register that an instruction reads or writes.
struct Access {
  uint16_t slot;
  bool wide;  // uses the next slot, too
  bool written;
  Bank bank;
  uint32_t web = 0;  // webs.h
};

struct Instruction {
  Form form;
  uint16_t row;
  uint32_t offset;
  // Operands in order, then results; source and target of each move.
  uint32_t first_access;
  uint32_t access_count;
  const uint8_t* at;  // operands as in lowered.h

  bool is(Lowered lowered) const {
    return form == Form::kLowered && row == static_cast<uint16_t>(lowered);
  }
  bool is(Op op) const { return form == Form::kOp && kOps[row].op == op; }
  // Must not be called for kLowered.
  const OpInfo& op() const { return kOps[row]; }
};

struct Block {
  uint32_t first;  // index of the first instruction
  uint32_t end;
  uint32_t first_successor;
  uint32_t successor_count;
};

struct Program {
  const BytecodeModule* module;
  const FunctionCode* function;
  uint32_t slots;  // number registers
  LoweredCode code;
  std::vector<Instruction> instructions;
  std::vector<Access> accesses;
  std::vector<Block> blocks;
  std::vector<uint32_t> successors;  // indices of blocks
  // By offset / 8; kNone if no block begins there.
  std::vector<uint32_t> block_at_offset;
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

// Decodes a verified function. Returns a program without code if there is no
// memory for it or if the compiler must stop.
Program ReadProgram(const BytecodeModule& module, uint32_t function,
                    Looks& looks);

// Properties of lowered instructions.
bool IsJump(const Instruction& i);  // has moves and jumps
bool IsFall(const Instruction& i);  // has moves and falls through
bool IsReturn(const Instruction& i);
bool TakesFuel(const Instruction& i);  // is a backward branch
bool MovesWide(const Instruction& i, LoweredMove move);
// Returns the target register of a move of numbers, without kWide.
inline uint16_t MoveTo(LoweredMove move) {
  return move.to & static_cast<uint16_t>(~LoweredMove::kWide);
}
std::span<const LoweredMove> MovesOf(const Instruction& i);
// Returns the offsets where control may continue, in the instruction's order.
std::vector<uint32_t> TargetsOf(const Instruction& i);
// Calls `visit` with the reference registers that an instruction writes or
// moves from. Omits those that a return moves from.
void VisitWrittenRefs(const Program& program, const Instruction& i,
                      const std::function<void(uint16_t)>& visit);
// Reports whether control never reaches the next instruction.
bool EndsBlock(const Instruction& i);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_PROGRAM_H_
