// Writes the thunks of a machine: <machine>/thunk_writer.cc.
//
// Compiled code calls them with an instruction's offset, the function and the
// step, where the functions of compiled.h expect them or nearby. Only return
// addresses and saved registers are on the stack.
// Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_THUNK_WRITER_H_
#define EYRIE_VM_JIT_THUNK_WRITER_H_

#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

#include "asmjit/core.h"
#include "vm/jit/registers.h"
#include "vm/jit/unwinding.h"
#include "vm/run/compiled.h"

namespace eyrie::vm::jit {

class ThunkWriter {
 public:
  virtual ~ThunkWriter() = default;

  // Each writes a thunk of CompiledThunks, `enter` first.
  virtual void Enter() = 0;
  virtual void CallImport() = 0;
  virtual void Resolve() = 0;  // `uncompiled`
  virtual void Drop() = 0;
  // Calls a function of compiled.h; leaves compiled code if that returns false.
  // If `keeps`, all registers are preserved.
  virtual void CallEdge(uint64_t function, bool keeps) = 0;

  asmjit::BaseAssembler& assembler() { return base_; }
  Unwinding& unwinding() { return unwinding_; }
  // Notes what the thread's stack has from here on, as UnwindRow counts.
  void Note(size_t words) {
    unwinding_.rows.push_back({base_.offset(), static_cast<uint32_t>(words)});
  }

 protected:
  ThunkWriter(asmjit::BaseAssembler& assembler, Unwinding unwinding)
      : base_(assembler), unwinding_(std::move(unwinding)) {}
  void NoteInCpp() {
    unwinding_.rows.push_back({base_.offset(), 0, /*in_cpp=*/true});
  }

  // Calls visit(real, register, place) for each register that holds webs and
  // that C++ clobbers. `place` is its index in CompiledState::saved.
  template <typename Visitor>
  static void VisitSaved(Visitor visit) {
    VisitBits(kMachineRegisters.integers & ~kMachineRegisters.kept, 0,
              [&](uint32_t reg, int at) { visit(/*real=*/false, reg, at); });
    VisitBits(kMachineRegisters.floats, CompiledState::kFirstSavedFloat,
              [&](uint32_t reg, int at) { visit(/*real=*/true, reg, at); });
  }

 private:
  template <typename Visitor>
  static void VisitBits(uint32_t mask, int at, Visitor visit) {
    for (; mask != 0; mask &= mask - 1) {
      visit(static_cast<uint32_t>(std::countr_zero(mask)), at++);
    }
  }

  asmjit::BaseAssembler& base_;
  Unwinding unwinding_;
};

std::unique_ptr<ThunkWriter> NewThunkWriter(asmjit::CodeHolder& code);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_THUNK_WRITER_H_
