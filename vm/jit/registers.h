// Where each web lives: in a register of the machine, in the frame, or in the
// code.
//
// Linear scan over positions; where registers run short, what is used least
// stays in the frame. The frame must hold what is needed behind a call, since
// the callee may leave compiled code: such webs are stored where they are
// written before it, and loaded again, unless they are in a register that
// callees keep.
// Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_REGISTERS_H_
#define EYRIE_VM_JIT_REGISTERS_H_

#include <cstdint>
#include <vector>

#include "vm/jit/program.h"
#include "vm/jit/webs.h"
#include "vm/run/compiled.h"

namespace eyrie::vm::jit {

struct Home {
  enum class Kind : uint8_t { kNowhere, kFrame, kInteger, kFloat, kConstant };
  Kind kind = Kind::kFrame;
  uint8_t reg = 0;  // as the machine numbers it
  // The frame has it, too, where calls and steps may look for it: what is
  // written is stored if control may come to the last of them, a position.
  bool shared = false;
  uint32_t last_look = 0;

  bool in_register() const {
    return kind == Kind::kInteger || kind == Kind::kFloat;
  }
};

// By web.
std::vector<Home> FindHomes(const Program& program, Webs& webs);

// Integer registers that a callee keeps, if it is C++ or compiled: r12 to r14.
inline constexpr uint8_t kFirstKept = 12;
inline constexpr uint8_t kLastKept = 14;
constexpr bool IsKept(const Home& home) {
  return home.kind == Home::Kind::kInteger && home.reg >= kFirstKept;
}

// Where an argument is that is passed in a register.
constexpr Home::Kind KindOf(const PassedNumber& number) {
  return number.real ? Home::Kind::kFloat : Home::Kind::kInteger;
}
constexpr uint8_t RegisterOf(const PassedNumber& number) {
  constexpr uint8_t kFirstInteger = 6;  // rsi, rdi, r8, r9
  constexpr uint8_t kFirstFloat = 2;    // xmm2 to xmm5
  const int first = number.real ? kFirstFloat : kFirstInteger;
  return static_cast<uint8_t>(first + number.ordinal);
}

// True if the web's register can take the argument's.
inline bool Fits(const PassedNumber& number, const Web& web, const Home& home) {
  return number.slot == web.slot && KindOf(number) == home.kind &&
         (number.wide || !web.wide);
}

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_REGISTERS_H_
