// Calls of the interpreter: for instructions without machine code, and for
// those whose machine code does not handle a case. Also calls of imports.
// Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_EMIT_STEP_H_
#define EYRIE_VM_JIT_EMIT_STEP_H_

#include "vm/jit/assembly.h"

namespace eyrie::vm::jit {

// Emits the current instruction as a call of an import or of the interpreter's
// body.
void EmitStep(Assembly& code);

// Emits a call of the interpreter's body for an instruction whose machine code
// cannot do it. All registers are preserved.
void EmitSlowStep(Assembly& code);

// Leaves compiled code before the current instruction.
void EmitLeave(Assembly& code);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_EMIT_STEP_H_
