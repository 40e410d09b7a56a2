// Reads and writes the numbers that the current instruction accesses, wherever
// their homes are (registers.h).
//
// Emitters of instructions derive from it; see Assembly for the registers that
// they may clobber. A number that the code reads may be in a register, in the
// frame, or a constant. A result may have no home, if nothing reads it.
// Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_HOMES_H_
#define EYRIE_VM_JIT_HOMES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "vm/jit/assembly.h"

namespace eyrie::vm::jit {

class Homes {
 public:
  explicit Homes(Assembly& code) : code_(code), a_(code.assembler()) {}

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
  x86::Mem FrameAt(uint16_t slot, bool wide) const;
  x86::Mem RefAt(uint32_t index) const;
  static x86::Mem State(size_t offset, uint32_t size) {
    return x86::Mem(kState, static_cast<int32_t>(offset), size);
  }
  static x86::Gp Sized(const x86::Gp& reg, bool wide) {
    return wide ? x86::Gp(x86::gpq(reg.id())) : x86::Gp(x86::gpd(reg.id()));
  }

  // Return a register with the value: the web's own, or `scratch`.
  x86::Gp Integer(const Access& access, const x86::Gp& scratch);
  x86::Xmm Float(const Access& access, const x86::Xmm& scratch);
  // Return the value as the last operand of an instruction: a register, memory
  // or a small constant.
  asmjit::Operand IntegerOperand(const Access& access, const x86::Gp& scratch);
  asmjit::Operand FloatOperand(const Access& access, const x86::Xmm& scratch);
  // Report whether the value is a constant; the first also requires that it
  // fits into an instruction.
  bool IsSmall(const Access& access, int64_t* value) const;
  bool IsConstant(const Access& access, uint64_t* bits) const;
  x86::Mem ConstantAt(uint64_t bits, bool wide) {
    return code_.constants().PlaceOf(bits, wide, a_);
  }

  // Return the register for a result; the ...Done function must follow.
  x86::Gp IntegerOut(const Access& access, const x86::Gp& scratch) const;
  x86::Xmm FloatOut(const Access& access, const x86::Xmm& scratch) const;
  void IntegerDone(const Access& access, const x86::Gp& reg);
  void FloatDone(const Access& access, const x86::Xmm& reg);
  // Reports whether the result of the current instruction must be stored in the
  // frame.
  bool IsStored(const Home& home) const;

  // Copies a number to another register of the function.
  void Move(const Access& from, const Access& to);
  // Store a number, or a constant, to memory; may clobber rax.
  void Store(const Access& access, const x86::Mem& to);
  void StoreBits(const x86::Mem& to, uint64_t bits, bool wide);

  // Copy between a web's register and the frame.
  void StoreHome(const Access& access);
  void LoadHome(const Access& access);
  void LoadWeb(uint32_t web);
  // Loads the webs that a call has clobbered and that are used after it.
  void Reload();
  // Loads all webs that are live at the current instruction.
  void LoadLive();
  // Reads a view's number of elements and address. Clobbers only rcx.
  void LoadView(const View& view);
  // Loads an argument to the register in which it is passed.
  void LoadPassed(const PassedNumber& number, const x86::Mem& from);
  // Parallel moves between registers of a bank, as pairs of target and source.
  using RegisterMoves = std::vector<std::pair<uint8_t, uint8_t>>;
  void MoveRegisters(RegisterMoves moves, bool real);

 protected:
  const Program& program() const { return code_.body().program; }
  const FunctionCode& function() const { return *program().function; }
  const Webs& webs() const { return code_.body().webs; }
  const std::vector<Home>& homes() const { return code_.body().homes; }
  uint32_t number() const { return code_.place().number; }

  Assembly& code_;
  x86::Assembler& a_;
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_HOMES_H_
