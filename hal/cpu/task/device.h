// The CPU device with threads: command buffers are shared between those of a
// pool, as far as they are worth it.
//
// What is small runs at once on the thread that submits it; what is larger is
// shared; what is large runs while that thread goes on, which helps when it
// comes to wait. Operations are ordered by their fences alone.
// Tested by task_device_test.cc.
#ifndef EYRIE_HAL_CPU_TASK_DEVICE_H_
#define EYRIE_HAL_CPU_TASK_DEVICE_H_

#include "base/ref.h"
#include "hal/cpu/task/sharing.h"
#include "hal/cpu/task/topology.h"
#include "hal/device.h"
#include "hal/driver.h"

namespace eyrie::hal::cpu {

// A "local-task" device with an allocator and threads of its own. With one
// thread it does what "local-sync" does.
Ref<hal::Device> CreateTaskDevice(const DriverOptions& options,
                                  const Topology& topology,
                                  const SharingPolicy& policy = {});

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_TASK_DEVICE_H_
