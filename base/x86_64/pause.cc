// The instruction PAUSE.
#include "base/pause.h"

namespace eyrie {

void Pause() { __builtin_ia32_pause(); }

}  // namespace eyrie
