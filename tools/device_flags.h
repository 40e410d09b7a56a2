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

// Returns the flags.
std::span<const Flag> DeviceFlags();

// Prints the requested lists. Returns false if no flag requests one.
// NOT_FOUND: the driver does not exist.
absl::StatusOr<bool> ListDevices(const Arguments& arguments);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEVICE_FLAGS_H_
