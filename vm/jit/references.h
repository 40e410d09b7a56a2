// Reference registers and the objects that they hold.
//
// References are always in the frame. Between two of these functions, a
// reference is in the machine's integer register 0.
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
  // Does the moves of the current instruction, a jump.
  void MoveAll();

  // Moves or copies a reference to register 0.
  void TakeReference(uint16_t from);
  // Stores the reference in register 0, and drops the old one.
  void ReplaceReference(uint16_t to);
  void DropReference(uint16_t index);

  // The type of the object in register 0.
  static Memory TypeOfObject();
  // Loads an object to register 0. If it is null or of another type, continues
  // at `slow` with the interpreter's body. `type` is the offset of the expected
  // type in CompiledState. Clobbers register 1.
  void LoadObject(int operand, size_t type, const Slow& slow);

 private:
  // Drops the reference in register 1, unless it is null.
  void DropOld();
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_REFERENCES_H_
