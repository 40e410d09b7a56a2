// Machine code of calls within a module, and of returns.
//
// The callee's frame follows the caller's. The callee stores what other code
// may read; its header is written only if control leaves compiled code. Tested
// by calls_test.cc, tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_EMIT_CALL_H_
#define EYRIE_VM_JIT_EMIT_CALL_H_

#include "vm/jit/assembly.h"

namespace eyrie::vm::jit {

// A call, which is the current instruction, in three steps. The second can be
// replaced by a copy of the callee's code.
//
// Takes fuel, checks that there is room for the callee's frame, and passes the
// arguments. Returns false if the interpreter must do the call.
bool PassArguments(Assembly& code);
// Calls the callee's compiled code.
void CallCompiled(Assembly& code);
// Loads the registers that the callee has clobbered, and takes its results.
void TakeResults(Assembly& code);

// Emits the current instruction, a return.
void EmitReturn(Assembly& code);
// Moves the first operand of the current instruction, a return, to register
// kResult.
void ReturnNumber(Assembly& code);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_EMIT_CALL_H_
