// How each instruction is compiled.
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

// What the processor has that code is made of.
bool HasNeededInstructions();

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_TREATMENT_H_
