// Copies bytes between buffers of devices that cannot use each other's memory.
//
// There are three steps, ordered by fences: the source's device copies the
// bytes to host-visible memory, a callback on the host copies them, and the
// target's device copies them into the target. If the host can see a buffer
// itself, the device's step is a barrier.
// Tested by device_group_test.cc.
#ifndef EYRIE_HAL_BUFFER_MOVER_H_
#define EYRIE_HAL_BUFFER_MOVER_H_

#include "absl/status/status.h"
#include "hal/command_buffer.h"
#include "hal/device.h"

namespace eyrie::hal {

// A range of a buffer with a known length, and a device that can use it.
struct Place {
  Device& device;
  BufferRef ref;
};

// Queues the copy. Both ranges must have the same length and fit their buffers.
// Errors are reported as by Device's operations. The affinity in `fences` is
// ignored: any queue of either device may run a step.
absl::Status QueueMove(const QueueFences& fences, const Place& source,
                       const Place& target);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_BUFFER_MOVER_H_
