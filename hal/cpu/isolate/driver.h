// CPU drivers that can isolate the machine code of modules.
//
// Tested by isolate_test.cc.
#ifndef EYRIE_HAL_CPU_ISOLATE_DRIVER_H_
#define EYRIE_HAL_CPU_ISOLATE_DRIVER_H_

#include <memory>

#include "hal/driver.h"

namespace eyrie::hal::cpu {

// Creates a driver that does the same as `driver`, of the CPU, and starts a
// worker for each device that is opened with DriverOptions::isolate.
std::unique_ptr<Driver> WithIsolation(std::unique_ptr<Driver> driver);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_ISOLATE_DRIVER_H_
