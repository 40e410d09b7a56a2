// The registers of AArch64, and its rules for debuggers.
#include <bit>

#include "vm/jit/registers.h"
#include "vm/jit/unwinding.h"
#include "vm/run/compiled.h"

namespace eyrie::vm::jit {

constexpr MachineRegisters kMachineRegisters = {
    .integers = 0x03F8FFF0,     // x4 to x15, x19 to x25
    .floats = 0x7FFF00FC,       // v2 to v7, v16 to v30
    .kept = 0x03F80000,         // x19 to x25
    .first_passed_integer = 4,  // x4 to x7
    .first_passed_float = 2,    // v2 to v5
};

// The last place of each kind is for a register that a thunk saves itself.
static_assert(std::popcount(kMachineRegisters.integers &
                            ~kMachineRegisters.kept) <
              CompiledState::kFirstSavedFloat);
static_assert(std::popcount(kMachineRegisters.floats) <
              CompiledState::kSaved - CompiledState::kFirstSavedFloat);

constexpr UnwindRules kUnwindRules = {
    .stack_pointer = 31,
    .return_address = 30,
    .state = 28,
    .call_pushes = false,
};

}  // namespace eyrie::vm::jit
