// Where code has its caller's registers, from place to place: what debuggers
// need to find who called it.
#ifndef EYRIE_VM_JIT_UNWINDING_H_
#define EYRIE_VM_JIT_UNWINDING_H_

#include <cstdint>
#include <vector>

namespace eyrie::vm::jit {

// From an offset on.
struct UnwindRow {
  uint64_t offset;
  // How many words lie between the stack pointer and the return address, the
  // first of which are Unwinding::pushed; or
  uint32_t words;
  // the return address is where CompiledState::left says, by rbx.
  bool in_cpp = false;
};

// Of one piece of code. Rows ascend; the first is at its begin.
struct Unwinding {
  std::vector<uint8_t> pushed;  // registers as DWARF numbers them
  std::vector<UnwindRow> rows;
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_UNWINDING_H_
