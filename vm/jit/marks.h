// Positions in a function's code that others need.
#ifndef EYRIE_VM_JIT_MARKS_H_
#define EYRIE_VM_JIT_MARKS_H_

#include <cstdint>
#include <vector>

#include "asmjit/core.h"
#include "vm/jit/unwinding.h"

namespace eyrie::vm::jit {

// A position in the code, and its instruction.
struct Mark {
  asmjit::Label label;
  uint32_t offset;  // of the instruction, in lowered code
};

struct Marks {
  asmjit::Label entry;  // for calls with all arguments in the frame
  // Words on the thread's stack, without the return address.
  uint32_t words = 0;
  std::vector<Mark> calls;  // the addresses that they return to
  std::vector<Mark> turns;  // entries at backward branches
  Unwinding unwinding;
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_MARKS_H_
