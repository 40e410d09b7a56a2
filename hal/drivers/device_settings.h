// The settings in a device's name, which OpenDevice (drivers.h) applies:
// "local-task://?threads=4&cpus=0-3".
//
// Tested by device_settings_test.cc.
#ifndef EYRIE_HAL_DRIVERS_DEVICE_SETTINGS_H_
#define EYRIE_HAL_DRIVERS_DEVICE_SETTINGS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "hal/driver.h"

namespace eyrie::hal {

// Reads "key=value&key=value", settings of `driver`, and changes
// `options`. A '%' begins a byte in hexadecimal. INVALID_ARGUMENT: the driver
// has no such setting (the message lists those that it has), a setting is given
// twice, or a value is malformed.
absl::Status ApplySettings(const Driver& driver, absl::string_view text,
                           DriverOptions& options);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_DRIVERS_DEVICE_SETTINGS_H_
