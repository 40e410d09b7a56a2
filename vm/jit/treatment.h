// How each instruction is compiled.
// Tested by tests/vm/rows_test.cc.
#ifndef EYRIE_VM_JIT_TREATMENT_H_
#define EYRIE_VM_JIT_TREATMENT_H_

#include "vm/jit/program.h"

namespace eyrie::vm::jit {

enum class Treatment : uint8_t {
  kInline,  // machine code, which may call the interpreter's body
  kStep,    // a call of the interpreter's body
  kCall,    // a call of another function's compiled code
};

Treatment TreatmentOf(const Instruction& i);

// Reports whether the instruction only computes numbers from numbers and never
// enters the interpreter.
bool Computes(const Instruction& i);

// Reports whether calls from the host are faster if the function is compiled.
// True for functions with loops or calls; other functions must gain more than
// entering, leaving and calling C++ cost.
bool PaysToCompile(const Program& program);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_TREATMENT_H_
