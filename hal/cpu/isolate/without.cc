// For builds without isolation, and machines that have no worker yet: the image
// is empty, so no device asks for a worker.
#include "absl/status/status.h"
#include "hal/cpu/isolate/spawn.h"
#include "hal/cpu/isolate/worker_image.h"
#include "hal/cpu/isolate/worker_system.h"

namespace eyrie::hal::cpu::isolate {

std::span<const uint8_t> WorkerImage() { return {}; }

uint32_t FloatStateNow() { return 0; }

absl::StatusOr<Spawned> SpawnWorker(const WorkerFiles&) {
  return absl::UnimplementedError("This build has no isolated workers.");
}

}  // namespace eyrie::hal::cpu::isolate
