// The beginning of a function: where compiled code, the interpreter and the
// host enter it. Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_EMIT_ENTRY_H_
#define EYRIE_VM_JIT_EMIT_ENTRY_H_

#include "vm/jit/assembly.h"

namespace eyrie::vm::jit {

// Emits the entry for compiled code. The function's first block must follow.
// Clears references that are not arguments, and numbers that are read before
// they are written.
void EmitEntry(Assembly& code);

// Emits the entry for the host and the interpreter, with arguments in the
// frame. Returns its label.
asmjit::Label EmitFrameEntry(Assembly& code);

// Emits an entry at the current instruction, a backward branch that has paid
// its fuel, with all numbers in the frame. Continues at `back`.
void EmitTurnEntry(Assembly& code, const asmjit::Label& back);

// Moves the arguments of the current body from the registers in which they are
// passed to their homes.
void TakeArguments(Assembly& code);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_EMIT_ENTRY_H_
