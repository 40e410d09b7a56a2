// The synchronous CPU device: operations run on the thread that makes them
// ready, one after the other.
//
// Tested by device_test.cc.
#ifndef EYRIE_HAL_CPU_DEVICE_H_
#define EYRIE_HAL_CPU_DEVICE_H_

#include "base/ref.h"
#include "hal/device.h"
#include "hal/driver.h"

namespace eyrie::hal::cpu {

// A "local-sync" device with an allocator of its own.
Ref<hal::Device> MakeSyncDevice(const DriverOptions& options);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_DEVICE_H_
