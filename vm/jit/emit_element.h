// Machine code of loads and stores of elements of buffers and lists.
//
// The interpreter's body does the work if an object is null, of another type or
// read-only, if the index is out of bounds, or if a list has elements of
// another type. Tested by views_test.cc, tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_EMIT_ELEMENT_H_
#define EYRIE_VM_JIT_EMIT_ELEMENT_H_

#include "vm/jit/assembly.h"
#include "vm/jit/checks.h"

namespace eyrie::vm::jit {

// Emits the current instruction. Returns false, and emits nothing, if its
// opcode belongs to another group.
bool EmitElement(Assembly& code, const Checks& checks);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_EMIT_ELEMENT_H_
