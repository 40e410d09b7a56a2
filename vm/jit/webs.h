// Which values a function's registers of numbers hold: a register is used for
// one value after another, of any type. A web is all writes of a register, and
// what reads them, that must be in one place.
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
  // Lives in the frame alone: it is read otherwise than it is written.
  bool in_frame = false;
  bool entry = false;     // has a value where the function begins
  bool constant = false;  // written once, by an instruction without operands
  bool read = false;
  bool view = false;  // no register of the module's, see views.h
  Bank bank = Bank::kAny;
  uint32_t begin = kNever;  // positions, see PositionOf
  uint32_t end = 0;
  uint32_t writes = 0;
  uint64_t bits = 0;             // of a constant
  float weight = 0;              // reads and writes, those in loops the more
  uint32_t moved_from = kNever;  // a web that it is moved from

  // True if it may be needed behind an instruction, and before it, too.
  bool Crosses(uint32_t position) const {
    return begin <= position && position < end;
  }
};

// An instruction reads at the even position, and writes at the odd one.
constexpr uint32_t PositionOf(uint32_t instruction) { return 2 * instruction; }

struct Webs {
  std::vector<Web> webs;
  // How often instructions run, guessed: 1, more in loops.
  std::vector<float> frequency;
  // By block: the first one that control may come to from its end.
  std::vector<uint32_t> back_to;
  // Registers with a value where the function begins, and whose web that is.
  std::vector<std::pair<uint16_t, uint32_t>> entries;
  // Those of them that are no arguments.
  std::vector<uint16_t> zeroed;
};

// Says in the program's accesses which web each is of. False: the function is
// too large for it, and all its numbers stay in the frame.
bool FindWebs(Program& program, Webs& webs);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_WEBS_H_
