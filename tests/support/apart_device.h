// A device whose memory and semaphores no other device can use, for tests of
// code that uses devices. It runs another device's operations.
//
// Operations on another device's buffers fail with INTERNAL. It has 2 queues.
#ifndef EYRIE_TESTS_SUPPORT_APART_DEVICE_H_
#define EYRIE_TESTS_SUPPORT_APART_DEVICE_H_

#include "base/ref.h"
#include "hal/device.h"

namespace eyrie::tests {

// The memory that the host can see: all of it, or only if requested.
enum class Sight { kAll, kAsked };

// `inner` runs the operations.
Ref<hal::Device> CreateApartDevice(const Ref<hal::Device>& inner,
                                   Sight sight = Sight::kAll);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_APART_DEVICE_H_
