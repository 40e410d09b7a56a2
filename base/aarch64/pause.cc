// The instruction YIELD.
#include "base/pause.h"

namespace eyrie {

void Pause() { __asm__ volatile("yield"); }

}  // namespace eyrie
