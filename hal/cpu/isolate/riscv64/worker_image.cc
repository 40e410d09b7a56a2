// There is no worker for this machine yet.
#include "hal/cpu/isolate/worker_image.h"

namespace eyrie::hal::cpu::isolate {

std::span<const uint8_t> WorkerImage() { return {}; }

}  // namespace eyrie::hal::cpu::isolate
