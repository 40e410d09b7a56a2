// The instruction PAUSE, which processors without the extension Zihintpause
// take for a FENCE without effect.
#include "base/pause.h"

namespace eyrie {

void Pause() { __asm__ volatile(".word 0x0100000F"); }

}  // namespace eyrie
