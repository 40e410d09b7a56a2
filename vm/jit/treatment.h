// How each instruction is compiled.
// Tested by tests/vm/rows_test.cc.
#ifndef EYRIE_VM_JIT_TREATMENT_H_
#define EYRIE_VM_JIT_TREATMENT_H_

#include "vm/jit/program.h"

namespace eyrie::vm::jit {

enum class Treatment : uint8_t {
  kInline,  // machine code, which calls the interpreter's body if need be
  kStep,    // the interpreter's body, on the frame
  kCall,    // compiled code of another function
};

Treatment TreatmentOf(const Instruction& i);

// True if it is machine code alone, which makes numbers of numbers: it never
// goes to the interpreter, nor anywhere else.
bool Computes(const Instruction& i);

// Whether a call by the host takes less time when the function is code. One
// that turns or calls others does its work there; of another what it gains must
// be more than entering, leaving, and calling C++ cost.
bool PaysToCompile(const Program& program);

// What the processor has that code is made of.
bool HasNeededInstructions();

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_TREATMENT_H_
