// There is no worker for this machine yet: WorkerImage() is empty, so no device
// asks for one.
#include "hal/cpu/isolate/spawn.h"

#include "absl/status/status.h"

namespace eyrie::hal::cpu::isolate {

uint32_t FloatStateNow() { return 0; }

absl::StatusOr<Spawned> SpawnWorker(const WorkerFiles&) {
  return absl::UnimplementedError("Isolated workers exist for x86-64 only.");
}

}  // namespace eyrie::hal::cpu::isolate
