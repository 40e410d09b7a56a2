// The code of an interpreter that lowered code refers to.
//
// Lowering writes these addresses without knowing whose they are, so that it
// does not depend on the interpreter. Tested by lowering_test.cc.
#ifndef EYRIE_VM_LOWER_HANDLERS_H_
#define EYRIE_VM_LOWER_HANDLERS_H_

#include <cstdint>

#include "vm/lower/lowered.h"

namespace eyrie::vm {

// Immutable; lives as long as the program. The arrays are indexed by whether
// the invocation is traced: traced code records calls and returns, and calls
// traced code.
struct Handlers {
  FindHandler find[2];          // returns where an instruction is run
  const uint8_t* unlowered[2];  // stands in for a function not lowered yet
  const uint8_t* enter;         // stands in for a function that is compiled
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LOWER_HANDLERS_H_
