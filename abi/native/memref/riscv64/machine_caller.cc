// RISC-V's ABI LP64D: eight integer registers, which floats use too once their
// own registers are full.
#include "abi/native/memref/machine_caller.h"

namespace eyrie::native {
namespace {

constexpr size_t kIntegerRegisters = 8;

}  // namespace

size_t IntegerRegisters() { return kIntegerRegisters; }
bool FloatsUseIntegerRegisters() { return true; }

MachineCall::Caller MachineCall::FindCaller() const {
  return CallerFor<kIntegerRegisters>(returns_, integers_, floats_, stack_);
}

}  // namespace eyrie::native
