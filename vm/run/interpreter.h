// The dispatch loop.
//
// Runs lowered code only, which is made of verified functions: operands are
// read without a check.
// Tested by tests/vm/rows_test.cc.
#ifndef EYRIE_VM_RUN_INTERPRETER_H_
#define EYRIE_VM_RUN_INTERPRETER_H_

#include "vm/lower/handlers.h"
#include "vm/run/machine.h"

namespace eyrie::vm {

// Runs the machine's topmost frame until the function that the host entered
// returns (kDone), yields (call again to resume) or fails (TakeError says how).
Outcome Run(Machine& machine);

// Returns the addresses in the loop that lowered code refers to.
const Handlers& InterpreterHandlers();

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_INTERPRETER_H_
