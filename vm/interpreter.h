// The dispatch loop.
//
// Runs verified code only: a Machine's frames hold functions of modules made
// from a VerifiedModule, so operands are decoded without a check.
// Tested by interpreter_test.cc.
#ifndef EYRIE_VM_INTERPRETER_H_
#define EYRIE_VM_INTERPRETER_H_

#include "vm/machine.h"

namespace eyrie::vm {

// Runs the machine's topmost frame until the function that the host entered
// returns (kDone), yields (call again to resume) or fails (TakeError says how).
Outcome Run(Machine& machine);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_INTERPRETER_H_
