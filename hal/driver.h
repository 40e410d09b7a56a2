// The interface of a driver, and the options of drivers.
//
// hal/drivers/drivers.h lists the drivers that are built in.
// Tested by hal/cpu/device_test.cc.
#ifndef EYRIE_HAL_DRIVER_H_
#define EYRIE_HAL_DRIVER_H_

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

// The threads of "local-task": their number and processors. By default both
// depend on the machine. Driver::Open validates the values.
struct TaskOptions {
  // The unit to count if `group_count` is 0: "physical_cores" or
  // "logical_cores".
  std::string mode = "physical_cores";
  int64_t group_count = 0;       // number of threads; 0: count them
  int64_t max_group_count = 64;  // upper limit if counted
  // Sets of processors ("0-3,8"). Each processor in their union gets one
  // thread, bound to it. Empty: the system places threads.
  std::vector<std::string> cpu_ids;
  int64_t spin_us = 50;     // how long an idle thread polls at most
  int64_t stack_bytes = 0;  // minimum per thread; 0: system default
};

// Options of the "vulkan" driver.
struct VulkanOptions {
  // Validates shaders with SPIRV-Tools before the driver gets them.
  bool validate_spirv = false;
  // Enables Khronos' validation layer, if it is installed.
  bool validation_layer = false;
  // For tests: treats device memory as not visible to the host.
  bool hide_device_memory = false;
  // For tests: allocates descriptor sets from pools, as on devices without push
  // descriptors.
  bool hide_push_descriptors = false;
  // For tests: allocations of more bytes than this fail; 0: no limit.
  uint64_t refuse_blocks_above = 0;
  // Subgroup size for shaders that use subgroups and do not require a size; 0:
  // the driver chooses.
  uint32_t subgroup_size = 0;
  // Folder for pipeline caches, created on the first write; empty: no caches
  // are written.
  std::string cache_folder;
  // Keeps shaders from accessing memory outside the bound buffers, as far as
  // the device's robustBufferAccess does.
  bool robust_buffer_access = false;
};

// The user's options for all devices of this process.
struct DriverOptions {
  bool allow_system_executables = false;  // dlopen of system-elf executables
  // If false, machine code is rejected. Shaders still run, with robust access
  // and without raw addresses.
  bool allow_native_code = true;
  TaskOptions task;
  VulkanOptions vulkan;
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
};

class Driver {
 public:
  virtual ~Driver() = default;
  virtual absl::string_view name() const = 0;         // "local-sync"
  virtual absl::string_view description() const = 0;  // one line
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
