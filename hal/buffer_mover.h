// Moves bytes between buffers of devices that cannot use each other's memory.
//
// Three steps, each on a fence: the source's device makes them visible to the
// host, a callback copies them, the target's device takes them over. Where the
// host sees a buffer itself its step is a barrier.
// Tested by device_group_test.cc.
#ifndef EYRIE_HAL_BUFFER_MOVER_H_
#define EYRIE_HAL_BUFFER_MOVER_H_

#include "absl/status/status.h"
#include "hal/command_buffer.h"
#include "hal/device.h"

namespace eyrie::hal {

// A range of a buffer, its length known, and a device that can use it.
struct Place {
  Device& device;
  BufferRef ref;
};

// Queues the move; the ranges are of one length and lie in their buffers.
// Whatever goes wrong fails the signal fence, and is returned as well if it is
// known by then. The affinity is not used: any queue of either device.
absl::Status QueueMove(const QueueFences& fences, const Place& source,
                       const Place& target);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_BUFFER_MOVER_H_
