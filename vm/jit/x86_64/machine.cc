// The registers of x86-64, and its rules for debuggers.
#include <bit>

#include "vm/jit/registers.h"
#include "vm/jit/unwinding.h"
#include "vm/run/compiled.h"

namespace eyrie::vm::jit {

constexpr MachineRegisters kMachineRegisters = {
    .integers = 0x7FC0,         // rsi, rdi, r8 to r14
    .floats = 0xFFFC,           // xmm2 to xmm15
    .kept = 0x7000,             // r12 to r14
    .first_passed_integer = 6,  // rsi, rdi, r8, r9
    .first_passed_float = 2,    // xmm2 to xmm5
};

// The last place of each kind is for a register that a thunk saves itself.
static_assert(std::popcount(kMachineRegisters.integers &
                            ~kMachineRegisters.kept) <
              CompiledState::kFirstSavedFloat);
static_assert(std::popcount(kMachineRegisters.floats) <
              CompiledState::kSaved - CompiledState::kFirstSavedFloat);

constexpr UnwindRules kUnwindRules = {
    .stack_pointer = 7,
    .return_address = 16,
    .state = 3,  // rbx
    .call_pushes = true,
};

}  // namespace eyrie::vm::jit
