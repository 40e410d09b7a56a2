// The interface of a driver, and the options that all drivers share.
//
// hal/drivers/drivers.h lists the drivers that are built in.
// Tested by hal/cpu/device_test.cc.
#ifndef EYRIE_HAL_DRIVER_H_
#define EYRIE_HAL_DRIVER_H_

#include <any>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/perf_map.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/executable_facts.h"
#include "hal/executable_loader.h"
#include "hal/host_memory.h"

namespace eyrie::hal {

// The user's options for all devices of this process.
struct DriverOptions {
  bool allow_system_executables = false;  // dlopen of system-elf executables
  // If false, machine code is rejected. Shaders still run, with robust access
  // and without raw addresses.
  bool allow_native_code = true;
  // If true, machine code of modules runs in a process of its own, which can do
  // nothing but compute. A driver that cannot do this does not open a device.
  bool isolate = false;
  // Receives notices that are not errors, one sentence each; may be null.
  // Called on any thread, also concurrently, while any object of the device is
  // alive. Must not use the device.
  std::function<void(absl::string_view)> notice;
  // Limit of the memory that a device keeps for later buffers, in bytes; null:
  // a quarter of the memory that this process, or the GPU, has. Memory that is
  // not used for 10 s is freed.
  std::optional<uint64_t> max_idle_memory;
  // Allocates the buffers of CPU devices; null: the system's allocator. If set,
  // opening a device with its own memory fails with UNIMPLEMENTED.
  std::shared_ptr<HostMemory> host_memory;
  // Receives the names of loaded machine-code functions; may be null.
  std::shared_ptr<PerfMap> perf_map;
  // Loaders of executables that are not machine code, one per format.
  std::vector<std::shared_ptr<const ExecutableLoader>> loaders;

  // Returns the options of one driver, a struct in the driver's folder:
  // Of<cpu::TaskOptions>(). They have their default values until they are set.
  template <typename Options>
  Options& Of() {
    for (std::any& each : own) {
      if (auto* found = std::any_cast<Options>(&each)) return *found;
    }
    return own.emplace_back().emplace<Options>();
  }
  template <typename Options>
  Options Of() const {
    for (const std::any& each : own) {
      if (const auto* found = std::any_cast<Options>(&each)) return *found;
    }
    return Options();
  }

  std::vector<std::any> own;  // the structs that Of returns
};

// A setting in the names of a driver's devices, such as "threads" in
// "local-task://?threads=4".
struct DeviceSetting {
  absl::string_view key;
  const char* expected;  // for messages: "a number"
  // Changes the options. Returns false if the value is malformed.
  bool (*apply)(const std::string& value, DriverOptions& options);
};

class Driver {
 public:
  virtual ~Driver() = default;
  virtual absl::string_view name() const = 0;         // "local-sync"
  virtual absl::string_view description() const = 0;  // one line
  // The settings of this driver, in ascending order of keys.
  virtual std::span<const DeviceSetting> settings() const { return {}; }
  // Returns the URIs of the devices present: {"local-sync://"}.
  virtual absl::StatusOr<std::vector<std::string>> ListDevices() const = 0;
  // Describes a device for --dump_devices in lines of "key: value"; may be
  // empty. Takes the same path as Open and returns the same errors.
  virtual absl::StatusOr<std::string> DescribeDevice(absl::string_view) const {
    return std::string();
  }
  // Describes an executable (format, bytes) without running any of it. Returns
  // nullopt if the driver does not know the format. Needs no device.
  // INVALID_ARGUMENT: damaged data; UNIMPLEMENTED: a version or feature not
  // supported.
  virtual std::optional<absl::StatusOr<ExecutableFacts>> DescribeExecutable(
      absl::string_view, std::span<const uint8_t>) const {
    return std::nullopt;
  }
  // Opens a device; `path` is the text after "driver://". NOT_FOUND: the device
  // does not exist.
  virtual absl::StatusOr<Ref<Device>> Open(
      absl::string_view path, const DriverOptions& options) const = 0;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_DRIVER_H_
