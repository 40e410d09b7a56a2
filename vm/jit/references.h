// Reference registers and the objects that they hold.
//
// References are always in the frame. Emitters of instructions that use objects
// derive from it.
// Tested by tests/vm/rows_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_REFERENCES_H_
#define EYRIE_VM_JIT_REFERENCES_H_

#include <cstddef>
#include <cstdint>

#include "vm/jit/homes.h"

namespace eyrie::vm::jit {

class References : public Homes {
 public:
  using Homes::Homes;

  // Moves or copies a reference to another register.
  void AssignReference(uint16_t from, uint16_t to);
  // Moves or copies a reference to rax.
  void TakeReference(uint16_t from);
  // Adds a reference to the object in rax.
  void ShareReference();
  // Stores the reference in rax in a register, and drops the old one.
  void ReplaceReference(uint16_t to);
  void DropReference(uint16_t index);

  // Loads an object to rax. If it is null or of another type, continues at
  // `slow` with the interpreter's body. `type` is the offset of the expected
  // type in CompiledState.
  void LoadObject(int operand, size_t type, const Slow& slow);
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_REFERENCES_H_
