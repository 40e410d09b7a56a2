// Reads and writes the numbers that the current instruction accesses, wherever
// their homes are (registers.h).
//
// Emitters of instructions derive from it; see Assembly for the registers that
// they may clobber. A number that the code reads may be in a register, in the
// frame, or a constant. A result may have no home, if nothing reads it.
// Registers have their numbers in machine code; <machine>/operands.h has them
// as operands.
// Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_HOMES_H_
#define EYRIE_VM_JIT_HOMES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "vm/jit/assembly.h"
#include "vm/jit/memory.h"

namespace eyrie::vm::jit {

class Homes {
 public:
  explicit Homes(Assembly& code) : code_(code) {}

  // The current instruction, and what it reads and writes: operands in order,
  // then results.
  const Instruction& current() const { return code_.current(); }
  std::span<const Access> Accesses() const {
    return program().AccessesOf(current());
  }
  const Access& In(size_t i) const { return Accesses()[i]; }
  const Access& Out() const { return Accesses().back(); }
  bool OutIsUsed() const { return HomeOf(Out()).kind != Home::Kind::kNowhere; }
  const Home& HomeOf(const Access& access) const {
    return code_.body().homes[access.web];
  }
  // Return an operand as it is encoded: a register with its bits, or a word.
  uint16_t OperandRegister(int operand) const;
  uint32_t OperandWord(int operand) const;

  // Places in the frame and in the CompiledState.
  Memory FrameAt(uint16_t slot, bool wide) const;
  Memory RefAt(uint32_t index) const;
  static Memory StateAt(size_t offset, bool wide = true) {
    return {Memory::Base::kState, static_cast<uint32_t>(offset), wide};
  }

  // Reports whether the value is a constant.
  bool IsConstant(const Access& access, uint64_t* bits) const;

  // Return a register with the value: the web's own, or `scratch`.
  uint8_t IntegerIn(const Access& access, uint8_t scratch);
  uint8_t FloatIn(const Access& access, uint8_t scratch);
  // Return the register for a result: the web's own, or `scratch`. The ...Done
  // function must follow.
  uint8_t IntegerTo(const Access& access, uint8_t scratch) const;
  uint8_t FloatTo(const Access& access, uint8_t scratch) const;
  void IntegerDone(const Access& access, uint8_t reg);
  void FloatDone(const Access& access, uint8_t reg);
  // Reports whether the result of the current instruction must be stored in the
  // frame.
  bool IsStored(const Home& home) const;

  // Sets the result of the current instruction to its constant. One that is
  // part of the code is stored in the frame only, if at all.
  void WriteConstant();
  // Copies a number to another register of the function.
  void Move(const Access& from, const Access& to);
  // Store a number, or a constant, to memory; may clobber the scratch registers
  // of number 0, but not for the constant 0.
  void Store(const Access& access, const Memory& to);
  void StoreBits(const Memory& to, uint64_t bits);
  // Loads a result from memory.
  void Load(const Access& access, const Memory& from);

  // Copy between a web's register and the frame.
  void StoreHome(const Access& access);
  void LoadHome(const Access& access);
  void LoadWeb(uint32_t web);
  // Loads the webs that a call has clobbered and that are used after it.
  void Reload();
  // Loads all webs that are live at the current instruction.
  void LoadLive();
  // Reads the address and the number of elements of the buffer or list in a
  // reference register. If it is null, of another type or read-only, continues
  // at `otherwise`. Clobbers registers 1 and 2 before it loads the results.
  void LoadElements(const Element& element, uint8_t data, uint8_t count,
                    const asmjit::Label& otherwise);
  // Loads the address and the number of elements of a view. The view gets no
  // elements where LoadElements would continue at `otherwise`.
  void LoadView(const View& view);
  // Loads an argument to the register in which it is passed.
  void LoadPassed(const PassedNumber& number, const Memory& from) {
    LoadRegister(number.real, RegisterOf(number), from);
  }
  // Parallel moves between registers of a bank, as pairs of target and source.
  using RegisterMoves = std::vector<std::pair<uint8_t, uint8_t>>;
  void MoveRegisters(RegisterMoves moves, bool real);

  // The machine's own: moves between registers, memory and constants. `real`
  // is for float registers. MoveRegister moves 8 bytes at least.
  void LoadRegister(bool real, uint8_t to, const Memory& from);
  void StoreRegister(bool real, uint8_t from, const Memory& to);
  void MoveRegister(bool real, uint8_t to, uint8_t from);
  void LoadConstant(bool real, uint8_t to, uint64_t bits, bool wide);
  void MoveInteger(uint8_t to, uint8_t from, bool wide);
  void IntegerToFloat(uint8_t to, uint8_t from, bool wide);  // the same bits
  void FloatToInteger(uint8_t to, uint8_t from, bool wide);

 protected:
  const Program& program() const { return code_.body().program; }
  const FunctionCode& function() const { return *program().function; }
  const Webs& webs() const { return code_.body().webs; }
  const std::vector<Home>& homes() const { return code_.body().homes; }
  uint32_t number() const { return code_.place().number; }
  asmjit::Label NewLabel() { return code_.assembler().newLabel(); }
  void Bind(const asmjit::Label& label) { code_.assembler().bind(label); }

  Assembly& code_;
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_HOMES_H_
