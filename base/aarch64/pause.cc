// The instruction ISB, which waits for some 10 ns; YIELD waits for none.
#include "base/pause.h"

namespace eyrie {

void Pause() { __asm__ volatile("isb"); }

}  // namespace eyrie
