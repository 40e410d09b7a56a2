// The values in a function's number registers. A register holds one value after
// another, of different types. A web is a set of writes to a register, and the
// reads that may see them, that must share one home.
//
// Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_WEBS_H_
#define EYRIE_VM_JIT_WEBS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "vm/jit/program.h"

namespace eyrie::vm::jit {

struct Web {
  static constexpr uint32_t kNever = 0xFFFFFFFF;

  uint16_t slot = 0;
  bool wide = false;
  // Must live in the frame, because it is read with another width than written.
  bool in_frame = false;
  bool entry = false;     // has a value when the function begins
  bool constant = false;  // written once, by an instruction without inputs
  bool read = false;
  bool view = false;  // belongs to a view (views.h), not to a register
  Bank bank = Bank::kAny;
  uint32_t begin = kNever;  // positions, see PositionOf
  uint32_t end = 0;
  uint32_t writes = 0;
  uint64_t bits = 0;             // value of a constant
  float weight = 0;              // reads and writes, weighted by frequency
  uint32_t moved_from = kNever;  // another web; kNever if none

  // Reports whether it may be live both before and after an instruction.
  bool Crosses(uint32_t position) const {
    return begin <= position && position < end;
  }
};

// An instruction reads at the even position and writes at the odd one.
constexpr uint32_t PositionOf(uint32_t instruction) { return 2 * instruction; }

struct Webs {
  std::vector<Web> webs;
  // Estimated frequencies of instructions: 1 outside of loops.
  std::vector<float> frequency;
  // By block: the first block that control may reach from its end.
  std::vector<uint32_t> back_to;
  // The registers that have a value when the function begins, with their webs.
  std::vector<std::pair<uint16_t, uint32_t>> entries;
  // Registers of `entries` that are not arguments.
  std::vector<uint16_t> zeroed;
};

// Finds the webs and stores their numbers in the program's accesses. Returns
// false if the function is too large; all its numbers then stay in the frame.
// Also returns false if the compiler must stop.
bool FindWebs(Program& program, Webs& webs, Looks& looks);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_WEBS_H_
