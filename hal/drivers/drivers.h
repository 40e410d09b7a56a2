// The drivers that are built in, with their options, and devices by name.
//
// A --device value is "driver", "driver://" or "driver://path"; settings may
// follow, "?threads=4" (device_settings.h).
// Tested by hal/cpu/device_test.cc.
#ifndef EYRIE_HAL_DRIVERS_DRIVERS_H_
#define EYRIE_HAL_DRIVERS_DRIVERS_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/cpu/kernel_plugin.h"  // for its callers
#include "hal/cpu/task/options.h"   // for its callers
#include "hal/device.h"
#include "hal/driver.h"
#include "hal/vulkan/options.h"  // for its callers

namespace eyrie::hal {

// Returns all drivers built into this binary, in ascending order of names.
std::vector<std::unique_ptr<Driver>> AllDrivers();

// Opens a --device value. NOT_FOUND: unknown driver (the message lists those
// built in) or device.
absl::StatusOr<Ref<Device>> OpenDevice(absl::string_view uri,
                                       const DriverOptions& options);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_DRIVERS_DRIVERS_H_
