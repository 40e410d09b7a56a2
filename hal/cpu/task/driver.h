// The entry of "local-task" in the list of drivers.
//
// Tested by task_device_test.cc.
#ifndef EYRIE_HAL_CPU_TASK_DRIVER_H_
#define EYRIE_HAL_CPU_TASK_DRIVER_H_

#include <memory>

#include "hal/driver.h"

namespace eyrie::hal::cpu {

// Creates the driver "local-task". It has one device; TaskOptions
// select its threads.
std::unique_ptr<Driver> CreateLocalTaskDriver();

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_TASK_DRIVER_H_
