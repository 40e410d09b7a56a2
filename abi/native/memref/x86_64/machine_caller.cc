// System V's ABI: six integer registers.
#include "abi/native/memref/machine_caller.h"

namespace eyrie::native {
namespace {

constexpr size_t kIntegerRegisters = 6;

}  // namespace

size_t IntegerRegisters() { return kIntegerRegisters; }
bool FloatsUseIntegerRegisters() { return false; }

MachineCall::Caller MachineCall::FindCaller() const {
  return CallerFor<kIntegerRegisters>(returns_, integers_, floats_, stack_);
}

}  // namespace eyrie::native
