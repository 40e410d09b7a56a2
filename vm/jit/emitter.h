// Writes the machine code of one function.
//
// purpose.h says what some registers are for. rax, rcx, rdx, xmm0 and xmm1 hold
// nothing between instructions; all others hold webs. The thread's stack has
// only return addresses. Tested by tests/vm/rows_test.cc, tests/oracle.
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

// A place in the code that others must know, and the instruction it is of.
struct Mark {
  asmjit::Label label;
  uint32_t offset;  // of the instruction, in lowered code
};

struct Marks {
  asmjit::Label entry;      // with arguments in the frame alone
  uint32_t words = 0;       // kept on the thread's stack
  std::vector<Mark> calls;  // where they return to
  std::vector<Mark> turns;  // entries at branches backwards
  Unwinding unwinding;
};

// When a comparison holds, by flags; of floats some need two.
struct Condition {
  enum class Parity : uint8_t { kAny, kAndOrdered, kOrUnordered };
  x86::CondCode code;
  Parity parity;
};

class Emitter {
 public:
  Emitter(Body body, Inlined inlined, std::vector<View> views,
          asmjit::CodeHolder& code);

  // Where compiled code calls the function is the first byte.
  // If `stopped` says so, returns early, with nothing of use.
  Marks Run(CompileStopped stopped);

 private:
  using Access = jit::Access;
  enum class SlowKind : uint8_t { kStep, kCharge, kLeave };
  // Code away from the others.
  struct Slow {
    SlowKind kind;
    uint32_t instruction;
    asmjit::Label entry;
    asmjit::Label back;
    bool again;  // the instruction is emitted once more
  };
  struct Constant {
    uint64_t bits;
    bool wide;
    asmjit::Label label;
  };

  // emitter.cc: the frame of it all.
  void EmitEntry();
  void EmitBlock(uint32_t block);
  void EmitFrameEntry();
  void Keep();
  // From here on so many of the registers kept are on the stack.
  void NoteDepth(size_t words) {
    marks_.unwinding.rows.push_back(
        {a_.offset(), static_cast<uint32_t>(words)});
  }
  void ZeroNumbers();
  void LoadPassed(const PassedNumber& number, const x86::Mem& from);
  void TakeArguments();
  bool IsWantedInFrame(const PassedNumber& number) const;
  void EmitInstruction(uint32_t n);
  void EmitStep(uint32_t n);
  void EmitImport();
  void EmitSlow(const Slow& slow);
  // What a guard is followed by, with all checks.
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
  // A register with the value: the web's own, or the one given.
  x86::Gp Integer(const Access& access, const x86::Gp& scratch);
  x86::Xmm Float(const Access& access, const x86::Xmm& scratch);
  // What an instruction may have as its last operand.
  asmjit::Operand IntegerOperand(const Access& access, const x86::Gp& scratch);
  asmjit::Operand FloatOperand(const Access& access, const x86::Xmm& scratch);
  // A constant that an instruction may hold.
  bool IsSmall(const Access& access, int64_t* value) const;
  bool IsConstant(const Access& access, uint64_t* bits) const;
  // The register to write, and what is to be done when it is.
  x86::Gp IntegerOut(const Access& access, const x86::Gp& scratch) const;
  x86::Xmm FloatOut(const Access& access, const x86::Xmm& scratch) const;
  // Whether the frame is to have what the instruction at hand writes.
  bool IsStored(const Home& home) const;
  void IntegerDone(const Access& access, const x86::Gp& reg);
  void FloatDone(const Access& access, const x86::Xmm& reg);
  // Brings frame and register into line.
  void StoreHome(const Access& access);
  void LoadHome(const Access& access);
  void LoadWeb(uint32_t web);
  void Store(const Access& access, const x86::Mem& to);
  void StoreBits(const x86::Mem& to, uint64_t bits, bool wide);
  void Move(const Access& from, const Access& to);
  x86::Mem ConstantAt(uint64_t bits, bool wide);
  // Loads what a call has clobbered and what is needed behind it.
  void Reload(uint32_t n);
  // Moves between registers of a bank, all at once: pairs of to and from.
  using RegisterMoves = std::vector<std::pair<uint8_t, uint8_t>>;
  void MoveRegisters(RegisterMoves moves, bool real);
  template <typename Visit>
  void VisitLive(uint32_t position, Visit visit) const;

  // emit_integer.cc, emit_float.cc: false if the row is another's.
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
  // In rax, or xmm0.
  void ReturnNumber(const Access& value);
  // Of a jump from a block: by the views where it enters a loop.
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
  // rax takes the reference, or shares it.
  void TakeReference(uint16_t from);
  // Counts one more of the object in rax.
  void ShareReference();
  // The slot takes what rax has.
  void ReplaceReference(uint16_t to);
  void DropReference(uint16_t index);
  uint16_t OperandRegister(int operand) const;
  uint32_t OperandWord(int operand) const;
  // rax is the object in a register of references; if it is null or of another
  // type, the interpreter's body runs instead.
  void LoadObject(int operand, size_t type_offset, const Slow& slow);
  // Of what the instruction at hand reads or writes; null: there is none.
  const View* FindView() const {
    return ViewOf(views_, ElementOf(*current_), block_);
  }
  void LoadView(const View& view);
  x86::Mem ViewedAt(const View& view, const Access& index, const Slow* slow);
  void EmitViewed(const View& view, uint32_t load);
  // An element of the buffer, or of the list, in rax.
  x86::Mem ElementAt(const Access& index, uint32_t width, const Slow& slow);
  x86::Mem ItemAt(const Access& index, uint32_t width, const Slow& slow);
  void LoadElement(const Access& to, const x86::Mem& at, uint32_t load);
  void StoreElement(const Access& value, const x86::Mem& at);
  void EmitSize(size_t type_offset, int32_t field);

  // Where the instruction at hand goes on if the short way does not do.
  Slow& NewSlow(SlowKind kind);
  Slow NewStepSlow() { return NewSlow(SlowKind::kStep); }
  void CallStub(int stub, uint32_t step);

  const Program& program() const { return body_->program; }
  const FunctionCode& function() const { return *body_->program.function; }
  const Webs& webs() const { return body_->webs; }
  const std::vector<Home>& homes() const { return body_->homes; }

  const Body own_;
  const Inlined inlined_;
  const Body* body_ = &own_;       // at hand: its own, or one that is copied
  const std::vector<View> views_;  // whose webs are in registers
  const Checks checks_;
  x86::Assembler a_;
  std::vector<asmjit::Label> blocks_;
  // By block that a loop with views is entered by: before these are read.
  std::map<uint32_t, asmjit::Label> outside_;
  uint32_t block_ = 0;  // at hand
  asmjit::Label entry_;
  asmjit::Label frame_entry_;
  std::vector<uint8_t> kept_;  // registers
  const Instruction* current_ = nullptr;
  uint32_t number_ = 0;  // of the instruction at hand
  std::vector<Slow> slows_;
  std::map<uint32_t, asmjit::Label> run_ends_;  // by a run's last instruction
  bool again_ = false;
  std::vector<Constant> constants_;
  std::unordered_map<uint64_t, size_t> constant_at_[2];  // by bits; wide ones
  asmjit::Label exit_;  // of a function with many references: drops them
  // Webs by the register that they are in, ascending by their begin: integers,
  // then floats.
  std::vector<uint32_t> in_register_[32];
  static constexpr int kStubs = 5;  // in the order of emitter.cc
  asmjit::Label stubs_[kStubs];
  bool stub_used_[kStubs] = {};
  struct Table {
    asmjit::Label label;
    uint32_t instruction;
    uint32_t block;
  };
  std::vector<Table> tables_;  // of br_table
  Marks marks_;
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_EMITTER_H_
