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
  // How many words have been pushed since the function was called. The first
  // of them are Unwinding::pushed. Not used if `in_cpp`.
  uint32_t words;
  // CompiledState::left points to the return address, the word below the
  // caller's.
  bool in_cpp = false;
};

// For one piece of code. Rows are ascending; the first is at its start.
struct Unwinding {
  std::vector<uint8_t> pushed;  // DWARF numbers of registers
  std::vector<UnwindRow> rows;
};

// The machine's rules for debuggers; registers have their DWARF numbers.
struct UnwindRules {
  uint8_t stack_pointer;
  uint8_t return_address;  // of the column, or of the register that has it
  uint8_t state;           // points to the CompiledState
  bool call_pushes;        // a call pushes the return address
};
extern const UnwindRules kUnwindRules;  // of <machine>/machine.cc

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_UNWINDING_H_
