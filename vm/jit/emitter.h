// Writes the machine code of one function.
//
// Each group of instructions has an emitter of its own, in emit_*.h. This class
// puts their code together: blocks in order, then the code out of line, then
// constants.
// Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_EMITTER_H_
#define EYRIE_VM_JIT_EMITTER_H_

#include <cstdint>
#include <map>
#include <vector>

#include "asmjit/core.h"
#include "vm/jit/assembly.h"
#include "vm/jit/body.h"
#include "vm/jit/checks.h"
#include "vm/jit/inlining.h"
#include "vm/jit/looks.h"
#include "vm/jit/marks.h"
#include "vm/jit/views.h"

namespace eyrie::vm::jit {

class Emitter {
 public:
  Emitter(Body body, Inlined inlined, std::vector<View> views,
          asmjit::CodeHolder& code, Looks& looks);

  // Emits the function. Compiled code calls it at the first byte. Returns
  // early, with unusable marks, if the compiler must stop.
  //
  // An instruction that no emitter knows fails with an error in the CodeHolder,
  // so that the interpreter runs the function.
  Marks Run();

 private:
  void EmitBlock(uint32_t block);
  void EmitInstruction(uint32_t number);
  void EmitCall();
  // Emits a copy of the callee's instructions, with arguments and results where
  // a call has them.
  void EmitInlined(const Body& callee);
  void EmitSlow(const Slow& slow);
  // Emits the code after a guard again, with all checks.
  void EmitAgain(uint32_t guard, const Checks::Guard& run);

  Looks& looks_;
  Assembly code_;
  asmjit::BaseAssembler& a_;
  const Inlined inlined_;
  const Checks checks_;
  // By the last instruction of guarded code.
  std::map<uint32_t, asmjit::Label> run_ends_;
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_EMITTER_H_
