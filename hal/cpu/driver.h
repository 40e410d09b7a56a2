// The CPU drivers for the list of drivers.
//
// Tested by device_test.cc.
#ifndef EYRIE_HAL_CPU_DRIVER_H_
#define EYRIE_HAL_CPU_DRIVER_H_

#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/cpu/kernel_plugin.h"
#include "hal/driver.h"

namespace eyrie::hal::cpu {

// "executable_plugin=FILE": a plug-in that provides the imports of executables.
inline constexpr DeviceSetting kPluginSetting = {
    "executable_plugin", "a file",
    [](const std::string& value, DriverOptions& options) {
      options.Of<KernelPlugins>().paths = {value};
      return !value.empty();
    }};

using OpenFunction = absl::StatusOr<Ref<hal::Device>> (*)(const DriverOptions&);
// Creates a driver with one device, which `open` opens. Borrows the texts
// and settings, which must be constants.
std::unique_ptr<Driver> CreateCpuDriver(
    const char* name, const char* description, OpenFunction open,
    std::span<const DeviceSetting> settings = {});

// Creates the driver "local-sync". Its one device starts no threads: all work
// runs on the callers' threads.
std::unique_ptr<Driver> CreateLocalSyncDriver();

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_DRIVER_H_
