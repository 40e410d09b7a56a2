// The dispatch loop.
//
// Runs lowered code only, which is made of verified functions: operands are
// read without a check.
// Tested by tests/vm/rows_test.cc.
#ifndef EYRIE_VM_INTERPRETER_H_
#define EYRIE_VM_INTERPRETER_H_

#include "vm/lowered.h"
#include "vm/machine.h"

namespace eyrie::vm {

// Runs the machine's topmost frame until the function that the host entered
// returns (kDone), yields (call again to resume) or fails (TakeError says how).
Outcome Run(Machine& machine);

// Where the loop runs each instruction, for lowering. Traced code notes calls
// and returns, and calls traced code.
FindHandler InterpreterHandlers(bool traced);

// What stands for a function's code until it is lowered, at its first call.
const uint8_t* UnloweredCode(bool traced);

// What stands for it once it is compiled.
const uint8_t* EnterCode();

}  // namespace eyrie::vm

#endif  // EYRIE_VM_INTERPRETER_H_
