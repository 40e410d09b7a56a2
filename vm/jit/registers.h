// Where each web lives: in a register of the machine, in the frame, or in the
// code.
//
// Linear scan over positions; where registers run short, what is used least
// stays in the frame. Nothing is kept in a register across a call: the frame
// must hold what is needed behind it anyhow, since the callee may leave
// compiled code. Such webs are stored where they are written, and loaded again.
// Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_REGISTERS_H_
#define EYRIE_VM_JIT_REGISTERS_H_

#include <cstdint>
#include <vector>

#include "vm/jit/program.h"
#include "vm/jit/webs.h"

namespace eyrie::vm::jit {

struct Home {
  enum class Kind : uint8_t { kNowhere, kFrame, kInteger, kFloat, kConstant };
  Kind kind = Kind::kFrame;
  uint8_t reg = 0;      // as the machine numbers it
  bool shared = false;  // the frame is kept up to date

  bool in_register() const {
    return kind == Kind::kInteger || kind == Kind::kFloat;
  }
};

// By web.
std::vector<Home> FindHomes(const Program& program, Webs& webs);

// True for integer registers that C++ keeps.
constexpr bool IsKeptByCpp(uint8_t reg) { return reg >= 12; }

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_REGISTERS_H_
