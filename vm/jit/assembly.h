// The machine code of one function while it is written: what all emitters of
// instructions share.
//
// It knows the current instruction, the labels, and the code to emit out of
// line. For registers with a fixed purpose see <machine>/purpose.h. Between
// instructions, the registers that have no webs are free (registers.h). The
// thread's stack holds return addresses and saved registers only.
// Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_ASSEMBLY_H_
#define EYRIE_VM_JIT_ASSEMBLY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "asmjit/core.h"
#include "vm/jit/body.h"
#include "vm/jit/constants.h"
#include "vm/jit/labels.h"
#include "vm/jit/looks.h"
#include "vm/jit/marks.h"
#include "vm/jit/program.h"
#include "vm/jit/residents.h"
#include "vm/jit/views.h"
#include "vm/run/compiled.h"

namespace eyrie::vm::jit {

// Code that is emitted out of line.
struct Slow {
  enum class Kind : uint8_t {
    kStep,    // the interpreter's body for the instruction; then continues
    kCharge,  // takes another portion of fuel; then continues
    kLeave,   // leaves compiled code before the instruction
  };
  Kind kind;
  uint32_t instruction;
  asmjit::Label entry;
  asmjit::Label back;  // where it continues
  bool again;          // belongs to code that is emitted a second time
};

class Assembly {
 public:
  // The thunks that a function calls through a stub of its own.
  enum class Stub : uint8_t { kStep, kSlowStep, kYieldable, kCharge, kLeave };
  static constexpr size_t kStubs = 5;

  // The place of the code that is being emitted: the body, which may be that of
  // a callee that is copied to its call, and the instruction.
  struct Place {
    const Body* body;
    const Instruction* instruction = nullptr;
    uint32_t number = 0;  // index of the instruction
    uint32_t block = 0;   // of the function itself
  };

  Assembly(Body body, std::vector<View> views, asmjit::CodeHolder& code);
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

  asmjit::BaseAssembler& assembler() { return a_; }
  const std::vector<View>& views() const { return views_; }
  const Body& own() const { return own_; }
  const Residents& residents() const { return residents_; }
  Labels& labels() { return labels_; }
  Constants& constants() { return constants_; }
  Marks& marks() { return marks_; }

  const Place& place() const { return place_; }
  void set_place(const Place& place) { place_ = place; }
  void MoveToBlock(uint32_t block) { place_.block = block; }
  void MoveTo(uint32_t instruction);
  const Body& body() const { return *place_.body; }
  const Instruction& current() const { return *place_.instruction; }

  // Adds out-of-line code for the current instruction.
  Slow AddSlow(Slow::Kind kind);
  std::vector<Slow>& slows() { return slows_; }
  // While code is emitted a second time, with all checks.
  bool again() const { return again_; }
  void set_again(bool again) { again_ = again; }

  // Takes one unit of fuel.
  void Charge();
  // Calls a thunk with the current instruction.
  void Call(Stub stub);
  void EmitStubs();

  // Branches from the current instruction.
  const asmjit::Label& TargetOf(uint32_t offset) const {
    return labels_.Target(offset, place_.block);
  }
  void JumpTo(const asmjit::Label& label);
  // Reports whether the label is at the next instruction.
  bool IsNext(const asmjit::Label& label) const;
  // Returns the label of the jump table of the current br_table.
  asmjit::Label AddTable();
  void EmitTables(Looks& looks);

  // The entry for compiled code.
  const asmjit::Label& entry() const { return entry_; }
  // The code that all returns share, if there are many references; not valid
  // before the first return.
  asmjit::Label& shared_exit() { return shared_exit_; }
  // Records how many words the function has on the stack from here on, as
  // UnwindRow counts.
  void NoteDepth(size_t words) {
    marks_.unwinding.rows.push_back(
        {a_.offset(), static_cast<uint32_t>(words)});
  }

  // Fails the compilation of a function with an instruction that has no machine
  // code, so the interpreter runs the function.
  void RefuseFunction() { a_.reportError(asmjit::kErrorInvalidInstruction); }

 private:
  struct Table {
    asmjit::Label label;
    uint32_t instruction;
    uint32_t block;
  };

  const Body own_;
  const std::vector<View> views_;  // their webs are in registers
  const Residents residents_;
  const std::unique_ptr<asmjit::BaseAssembler> assembler_;
  asmjit::BaseAssembler& a_;
  Labels labels_;
  Constants constants_;
  Place place_;
  asmjit::Label entry_;
  asmjit::Label shared_exit_;
  std::vector<Slow> slows_;
  bool again_ = false;
  asmjit::Label stubs_[kStubs];
  bool stub_used_[kStubs] = {};
  std::vector<Table> tables_;
  Marks marks_;
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_ASSEMBLY_H_
