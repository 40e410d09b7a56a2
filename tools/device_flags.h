// Flags that print the available devices and end the command: --list_drivers,
// --list_devices, --dump_devices.
//
// Tested by cli_test.py.
#ifndef EYRIE_TOOLS_DEVICE_FLAGS_H_
#define EYRIE_TOOLS_DEVICE_FLAGS_H_

#include <span>

#include "absl/status/statusor.h"
#include "tools/arg_parser.h"

namespace eyrie::tools {

// The rows of these flags.
std::span<const Flag> DeviceFlags();

// Prints what the flags ask for. Returns false if none of them is given.
// NOT_FOUND: the driver does not exist.
absl::StatusOr<bool> ListDevices(const Arguments& arguments);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEVICE_FLAGS_H_
