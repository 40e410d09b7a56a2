// Writes the machine code of one function.
//
// For registers with a fixed purpose see purpose.h. Between instructions, rax,
// rcx, rdx, xmm0 and xmm1 are free; all others hold webs. The thread's stack
// holds return addresses and saved registers only.
// Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_EMITTER_H_
#define EYRIE_VM_JIT_EMITTER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "asmjit/x86.h"
#include "vm/jit/body.h"
#include "vm/jit/checks.h"
#include "vm/jit/inlining.h"
#include "vm/jit/program.h"
#include "vm/jit/purpose.h"
#include "vm/jit/registers.h"
#include "vm/jit/unwinding.h"
#include "vm/jit/views.h"
#include "vm/jit/webs.h"
#include "vm/run/compiled.h"

namespace eyrie::vm::jit {

namespace x86 = asmjit::x86;

// A position in the code that callers need, and its instruction.
struct Mark {
  asmjit::Label label;
  uint32_t offset;  // of the instruction, in lowered code
};

struct Marks {
  asmjit::Label entry;      // for calls with all arguments in the frame
  uint32_t words = 0;       // words on the thread's stack
  std::vector<Mark> calls;  // the addresses that they return to
  std::vector<Mark> turns;  // entries at backward branches
  Unwinding unwinding;
};

// The flags for which a comparison is true. Some comparisons of floats must
// also test the parity flag.
struct Condition {
  enum class Parity : uint8_t { kAny, kAndOrdered, kOrUnordered };
  x86::CondCode code;
  Parity parity;
};

class Emitter {
 public:
  Emitter(Body body, Inlined inlined, std::vector<View> views,
          asmjit::CodeHolder& code);

  // Emits the function. Compiled code calls it at the first byte. Returns
  // early, with unusable marks, if `stopped` returns true.
  Marks Run(CompileStopped stopped);

 private:
  using Access = jit::Access;
  enum class SlowKind : uint8_t { kStep, kCharge, kLeave };
  // Code that is emitted out of line.
  struct Slow {
    SlowKind kind;
    uint32_t instruction;
    asmjit::Label entry;
    asmjit::Label back;
    bool again;  // belongs to code that is emitted a second time
  };
  struct Constant {
    uint64_t bits;
    bool wide;
    asmjit::Label label;
  };

  // emitter.cc: entry, exit and out-of-line code.
  void EmitEntry();
  void EmitBlock(uint32_t block);
  void EmitFrameEntry();
  void Keep();
  // Records how many of the kept registers are on the stack from here on.
  void NoteDepth(size_t words) {
    marks_.unwinding.rows.push_back(
        {a_.offset(), static_cast<uint32_t>(words)});
  }
  void ZeroNumbers();
  void LoadPassed(const PassedNumber& number, const x86::Mem& from);
  void TakeArguments();
  bool IsWantedInFrame(const PassedNumber& number) const;
  void EmitInstruction(uint32_t n);
  // Fails the compilation of a function with an instruction that has no machine
  // code, so the interpreter runs the function.
  void RefuseFunction();
  void EmitStep(uint32_t n);
  void EmitImport();
  void EmitSlow(const Slow& slow);
  // Emits the code after a guard again, with all checks.
  void EmitAgain(uint32_t guard, const Checks::Guard& run);
  void EmitTurnEntry(uint32_t n, const Mark& mark);
  void EmitStubs();
  void EmitConstants();

  // homes.cc: reading and writing webs.
  const Home& HomeOf(const Access& access) const { return homes()[access.web]; }
  std::span<const Access> Accesses() const {
    return program().AccessesOf(*current_);
  }
  const Access& In(size_t i) const { return Accesses()[i]; }
  const Access& Out() const { return Accesses().back(); }
  bool OutIsUsed() const { return HomeOf(Out()).kind != Home::Kind::kNowhere; }
  x86::Mem FrameAt(uint16_t slot, bool wide) const;
  x86::Mem RefAt(uint32_t index) const;
  x86::Mem State(size_t offset, uint32_t size) const {
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
  // Return the register for a result; the ...Done function must follow.
  x86::Gp IntegerOut(const Access& access, const x86::Gp& scratch) const;
  x86::Xmm FloatOut(const Access& access, const x86::Xmm& scratch) const;
  // Reports whether the result of the current instruction must be stored in the
  // frame.
  bool IsStored(const Home& home) const;
  void IntegerDone(const Access& access, const x86::Gp& reg);
  void FloatDone(const Access& access, const x86::Xmm& reg);
  // Copy between a web's register and the frame.
  void StoreHome(const Access& access);
  void LoadHome(const Access& access);
  void LoadWeb(uint32_t web);
  void Store(const Access& access, const x86::Mem& to);
  void StoreBits(const x86::Mem& to, uint64_t bits, bool wide);
  void Move(const Access& from, const Access& to);
  x86::Mem ConstantAt(uint64_t bits, bool wide);
  // Loads the webs that a call has clobbered and that are used after it.
  void Reload(uint32_t n);
  // Parallel moves between registers of a bank, as pairs of target and source.
  using RegisterMoves = std::vector<std::pair<uint8_t, uint8_t>>;
  void MoveRegisters(RegisterMoves moves, bool real);
  template <typename Visit>
  void VisitLive(uint32_t position, Visit visit) const;

  // emit_integer.cc, emit_float.cc. Return false if they do not handle the row.
  bool EmitInteger(Op op);
  bool EmitConversion(Op op);
  bool EmitDivision(Op op);
  bool EmitFloat(Op op);
  bool EmitFloatConversion(Op op);
  void EmitConst();
  void Alu(uint32_t id, bool commutative);
  void Multiply();
  void Shift(uint32_t id);
  void Unary(uint32_t id);
  void AbsInteger();
  void MinMax(x86::CondCode keep);
  void CountZeros();
  void SelectInteger();
  void Extend(uint32_t id, bool byte);
  void Divide(bool is_signed, bool remainder);
  void FloatAlu(uint32_t narrow, uint32_t wide, bool commutative);
  void FloatMinMax(uint32_t narrow, uint32_t wide);
  void FloatMask(uint32_t id, uint64_t narrow, uint64_t wide);
  void FloatRound(int mode);
  void FloatRoot(bool reciprocal);
  void FloatFma();
  void SelectFloat();
  void FromInteger(bool is_signed);

  // emit_control.cc: comparisons, branches, calls and returns.
  Condition Compare(Op op);
  Condition CompareFloats(Op op);
  void EmitComparison(Op op);
  void EmitBranch(const Condition& condition);
  void EmitControl();
  void EmitJump();
  void EmitBranchTable();
  void EmitCharge();
  void EmitCall();
  void CallCompiled(const FunctionCode& callee);
  void EmitInlined(const Body& body);
  void EmitRoom(uint32_t bytes);
  void PassArguments(const LoweredCallFunction& call, uint32_t own);
  void PassOther(const PassedNumber& number, const Access& access, uint32_t own,
                 const FunctionCode& callee);
  void TakeResults(const FunctionCode& callee, const uint16_t* to);
  void EmitReturn();
  void EmitExit();
  // Returns a number in rax or xmm0.
  void ReturnNumber(const Access& value);
  // Returns the target of a jump from a block. A jump that enters a loop goes
  // to the code that reads the loop's views.
  asmjit::Label LabelAt(uint32_t offset, uint32_t from) const;
  asmjit::Label BlockLabel(uint32_t offset) const {
    return LabelAt(offset, block_);
  }
  void JumpTo(const asmjit::Label& label);
  bool IsNext(const asmjit::Label& label) const;

  // emit_object.cc: references, globals, buffers, lists.
  bool EmitObject(Op op);
  bool EmitGlobal(Op op);
  void EmitRodata();
  void EmitGlobalReference();
  void EmitDiscard();
  bool EmitBuffer(Op op);
  bool EmitList(Op op);
  void AssignReference(uint16_t from, uint16_t to);
  // Moves or copies a reference to rax.
  void TakeReference(uint16_t from);
  // Adds a reference to the object in rax.
  void ShareReference();
  // Stores the reference in rax in a register, and drops the old one.
  void ReplaceReference(uint16_t to);
  void DropReference(uint16_t index);
  uint16_t OperandRegister(int operand) const;
  uint32_t OperandWord(int operand) const;
  // Loads an object to rax. If it is null or of another type, continues at
  // `slow` with the interpreter's body.
  void LoadObject(int operand, size_t type_offset, const Slow& slow);
  // Returns the view of the element that the current instruction accesses, or
  // null.
  const View* FindView() const {
    return ViewOf(views_, ElementOf(*current_), block_);
  }
  void LoadView(const View& view);
  x86::Mem ViewedAt(const View& view, const Access& index, const Slow* slow);
  void EmitViewed(const View& view, uint32_t load);
  // Return the address of an element of the buffer or list in rax.
  x86::Mem ElementAt(const Access& index, uint32_t width, const Slow& slow);
  x86::Mem ItemAt(const Access& index, uint32_t width, const Slow& slow);
  void LoadElement(const Access& to, const x86::Mem& at, uint32_t load);
  void StoreElement(const Access& value, const x86::Mem& at);
  void EmitSize(size_t type_offset, int32_t field);

  // Adds out-of-line code for the current instruction.
  Slow& NewSlow(SlowKind kind);
  Slow NewStepSlow() { return NewSlow(SlowKind::kStep); }
  void CallStub(int stub, uint32_t step);

  const Program& program() const { return body_->program; }
  const FunctionCode& function() const { return *body_->program.function; }
  const Webs& webs() const { return body_->webs; }
  const std::vector<Home>& homes() const { return body_->homes; }

  const Body own_;
  const Inlined inlined_;
  const Body* body_ = &own_;       // current one: own_ or an inlined function's
  const std::vector<View> views_;  // their webs are in registers
  const Checks checks_;
  x86::Assembler a_;
  std::vector<asmjit::Label> blocks_;
  // By the first block of a loop with views: the label before views are read.
  std::map<uint32_t, asmjit::Label> outside_;
  uint32_t block_ = 0;  // the current block
  asmjit::Label entry_;
  asmjit::Label frame_entry_;
  std::vector<uint8_t> kept_;  // callee-saved registers that it uses
  const Instruction* current_ = nullptr;
  uint32_t number_ = 0;  // index of the current instruction
  std::vector<Slow> slows_;
  // By the last instruction of guarded code.
  std::map<uint32_t, asmjit::Label> run_ends_;
  bool again_ = false;
  std::vector<Constant> constants_;
  // By bits; [1] is for wide ones.
  std::unordered_map<uint64_t, size_t> constant_at_[2];
  asmjit::Label exit_;  // shared code that drops many references
  // Webs by their register, ascending by beginning: integers, then floats.
  std::vector<uint32_t> in_register_[32];
  static constexpr int kStubs = 5;  // in the order of emitter.cc
  asmjit::Label stubs_[kStubs];
  bool stub_used_[kStubs] = {};
  struct Table {
    asmjit::Label label;
    uint32_t instruction;
    uint32_t block;
  };
  std::vector<Table> tables_;  // jump tables of br_table
  Marks marks_;
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_EMITTER_H_
