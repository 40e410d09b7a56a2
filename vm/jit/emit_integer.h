// Machine code of integer instructions: constants of all types, arithmetic,
// bits, selection, conversions between widths. Tested by tests/vm/rows_test.cc,
// tests/oracle.
#ifndef EYRIE_VM_JIT_EMIT_INTEGER_H_
#define EYRIE_VM_JIT_EMIT_INTEGER_H_

#include "vm/jit/assembly.h"

namespace eyrie::vm::jit {

// Emits the current instruction. Returns false, and emits nothing, if its
// opcode belongs to another group.
bool EmitInteger(Assembly& code);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_EMIT_INTEGER_H_
