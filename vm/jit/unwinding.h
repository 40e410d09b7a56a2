// The places of the caller's registers at each position of the code, so that
// debuggers can unwind.
#ifndef EYRIE_VM_JIT_UNWINDING_H_
#define EYRIE_VM_JIT_UNWINDING_H_

#include <cstdint>
#include <vector>

namespace eyrie::vm::jit {

// Applies from an offset on.
struct UnwindRow {
  uint64_t offset;
  // How many words lie between the stack pointer and the return address. The
  // first of them are Unwinding::pushed. Not used if `in_cpp`.
  uint32_t words;
  // The return address is at CompiledState::left; rbx holds the state.
  bool in_cpp = false;
};

// For one piece of code. Rows are ascending; the first is at its start.
struct Unwinding {
  std::vector<uint8_t> pushed;  // DWARF numbers of registers
  std::vector<UnwindRow> rows;
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_UNWINDING_H_
