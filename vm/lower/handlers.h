// Addresses in the interpreter that lowered code refers to.
//
// They are passed to the lowering, so that it does not depend on the
// interpreter.
// Tested by lowering_test.cc.
#ifndef EYRIE_VM_LOWER_HANDLERS_H_
#define EYRIE_VM_LOWER_HANDLERS_H_

#include <cstdint>

#include "vm/lower/lowered.h"

namespace eyrie::vm {

// Immutable; valid as long as the program runs. The arrays are indexed by
// whether an invocation is traced: traced code records calls and returns, and
// calls traced code.
struct Handlers {
  FindHandler find[2];          // returns the address that runs an instruction
  const uint8_t* unlowered[2];  // replaces a function that is not lowered yet
  const uint8_t* enter;         // replaces a function that is compiled
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LOWER_HANDLERS_H_
