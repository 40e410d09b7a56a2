// Machine code of float instructions: arithmetic, selection, rounding,
// conversions.
// Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_EMIT_FLOAT_H_
#define EYRIE_VM_JIT_EMIT_FLOAT_H_

#include "vm/jit/assembly.h"

namespace eyrie::vm::jit {

// Emits the current instruction. Returns false, and emits nothing, if its
// opcode belongs to another group.
bool EmitFloat(Assembly& code);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_EMIT_FLOAT_H_
