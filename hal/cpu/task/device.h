// The CPU device with threads: a pool of threads shares large command buffers.
//
// A small command buffer runs at once on the thread that submits it. A larger
// one is shared. A very large one runs in the background; the submitting thread
// helps when it waits. Only fences order operations.
// Tested by task_device_test.cc.
#ifndef EYRIE_HAL_CPU_TASK_DEVICE_H_
#define EYRIE_HAL_CPU_TASK_DEVICE_H_

#include "base/ref.h"
#include "hal/cpu/task/sharing.h"
#include "hal/cpu/task/topology.h"
#include "hal/device.h"
#include "hal/driver.h"

namespace eyrie::hal::cpu {

// Creates a "local-task" device with its own allocator. It shares its threads
// with the devices of this process that have equal options for them. With one
// thread, it behaves like "local-sync".
Ref<hal::Device> CreateTaskDevice(const DriverOptions& options,
                                  const Topology& topology,
                                  const SharingPolicy& policy = {});

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_TASK_DEVICE_H_
