// Machine code of comparisons and branches.
// Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_EMIT_CONTROL_H_
#define EYRIE_VM_JIT_EMIT_CONTROL_H_

#include "vm/jit/assembly.h"

namespace eyrie::vm::jit {

// Emits the current instruction. Returns false, and emits nothing, if it
// belongs to another group.
bool EmitControl(Assembly& code);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_EMIT_CONTROL_H_
