// How RISC-V keeps the address of the next instruction.
#include "hal/cpu/machine/signal_place.h"

#include <ucontext.h>

namespace eyrie::hal::cpu {

uint64_t SignalPlace(const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
  return registers.__gregs[REG_PC];
}

}  // namespace eyrie::hal::cpu
