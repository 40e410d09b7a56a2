// The CPU drivers' entries in the list of drivers.
//
// Tested by device_test.cc.
#ifndef EYRIE_HAL_CPU_DRIVER_H_
#define EYRIE_HAL_CPU_DRIVER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/driver.h"

namespace eyrie::hal::cpu {

// Drivers of one device each. Texts are constants.
using OpenFunction = absl::StatusOr<Ref<hal::Device>> (*)(const DriverOptions&);
std::unique_ptr<Driver> CreateCpuDriver(const char* name,
                                        const char* description,
                                        OpenFunction open);

// "local-sync": one device, which runs everything on the calling thread.
std::unique_ptr<Driver> CreateLocalSyncDriver();

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_DRIVER_H_
