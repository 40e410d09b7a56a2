// The dispatch loop.
//
// Runs lowered code only. Lowering accepts only verified functions, so operands
// are read without checks.
// Tested by tests/vm/rows_test.cc.
#ifndef EYRIE_VM_RUN_INTERPRETER_H_
#define EYRIE_VM_RUN_INTERPRETER_H_

#include "vm/lower/handlers.h"
#include "vm/run/machine.h"

namespace eyrie::vm {

// Runs the machine's topmost frame until the function that the host entered
// returns (kDone), yields (kYielded; call again to resume) or fails (kFailed;
// TakeError returns the error).
Outcome Run(Machine& machine);

// Returns the addresses in the loop that lowered code refers to. They are valid
// as long as the program runs.
const Handlers& InterpreterHandlers();

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_INTERPRETER_H_
