// The home of each web: a machine register, the frame, or the code.
//
// Linear scan over positions. If registers run short, the webs that are used
// least stay in the frame. A callee may leave compiled code, so the frame must
// hold everything that is used after a call: such webs are stored when they are
// written, and loaded again after the call unless they are in a callee-saved
// register.
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
  uint8_t reg = 0;  // its number in machine code
  // The frame holds the value, too, since calls and steps may read it there. A
  // write is stored if control can still reach the last of them.
  bool shared = false;
  uint32_t last_look = 0;  // position of that call or step

  bool in_register() const {
    return kind == Kind::kInteger || kind == Kind::kFloat;
  }
};

// Returns the homes, indexed by web. They are unusable if the compiler must
// stop.
std::vector<Home> FindHomes(const Program& program, Webs& webs, Looks& looks);

// The machine's registers, by their numbers in machine code. Register 0 of each
// bank has no web: it holds results, and code between instructions may use it.
struct MachineRegisters {
  // Masks of those that hold webs.
  uint32_t integers;
  uint32_t floats;
  // The integer registers of these that C++ and compiled callees preserve.
  uint32_t kept;
  // The first of the registers in which arguments are passed; each bank has
  // kMaxPassed of them.
  uint8_t first_passed_integer;
  uint8_t first_passed_float;
};
extern const MachineRegisters kMachineRegisters;  // of <machine>/machine.cc
inline constexpr int kMaxRegisters = 32;          // of a bank
inline constexpr uint8_t kResult = 0;

inline bool IsKept(const Home& home) {
  return home.kind == Home::Kind::kInteger &&
         ((kMachineRegisters.kept >> home.reg) & 1) != 0;
}

// The register in which an argument is passed.
constexpr Home::Kind KindOf(const PassedNumber& number) {
  return number.real ? Home::Kind::kFloat : Home::Kind::kInteger;
}
inline uint8_t RegisterOf(const PassedNumber& number) {
  const int first = number.real ? kMachineRegisters.first_passed_float
                                : kMachineRegisters.first_passed_integer;
  return static_cast<uint8_t>(first + number.ordinal);
}

// Reports whether the web's register can receive the argument.
inline bool Fits(const PassedNumber& number, const Web& web, const Home& home) {
  return number.slot == web.slot && KindOf(number) == home.kind &&
         (number.wide || !web.wide);
}

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_REGISTERS_H_
