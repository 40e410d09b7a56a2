// How x86-64 keeps the address of the next instruction.
#include "hal/cpu/machine/signal_place.h"

#include <ucontext.h>

namespace eyrie::hal::cpu {

uint64_t SignalPlace(const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
  return static_cast<uint64_t>(registers.gregs[REG_RIP]);
}

}  // namespace eyrie::hal::cpu
