// Machine code of references, globals, and the sizes of buffers and lists.
//
// Uncommon cases, such as an object of another type, are left to the
// interpreter's body.
// Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_EMIT_OBJECT_H_
#define EYRIE_VM_JIT_EMIT_OBJECT_H_

#include "vm/jit/assembly.h"

namespace eyrie::vm::jit {

// Emits the current instruction. Returns false, and emits nothing, if its
// opcode belongs to another group.
bool EmitObject(Assembly& code);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_EMIT_OBJECT_H_
