// RISC-V has no such mode: it always computes with denormal numbers.
#include "hal/cpu/machine/float_state.h"

namespace eyrie::hal::cpu {

bool CanFlushDenormals() { return false; }

bool FlushesDenormals() { return false; }

FlushDenormals::FlushDenormals() : before_(0) {}

FlushDenormals::~FlushDenormals() { static_cast<void>(before_); }

}  // namespace eyrie::hal::cpu
