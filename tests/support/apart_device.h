// A device with memory and semaphores that no other device can use, for tests
// of what stands above devices: one that runs on the host, kept apart.
//
// Operations with a buffer of anybody else fail, INTERNAL. There are 2 queues.
#ifndef EYRIE_TESTS_SUPPORT_APART_DEVICE_H_
#define EYRIE_TESTS_SUPPORT_APART_DEVICE_H_

#include "base/ref.h"
#include "hal/device.h"

namespace eyrie::tests {

// Whose memory the host sees: all of it, or what is asked for as such.
enum class Sight { kAll, kAsked };

// `inner` runs what it is given.
Ref<hal::Device> MakeApart(const Ref<hal::Device>& inner,
                           Sight sight = Sight::kAll);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_APART_DEVICE_H_
