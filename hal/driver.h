// Drivers by name, and the devices they open.
//
// A --device value is "driver", "driver://" or "driver://path"; the list of
// drivers built in is all_drivers.cc.
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

// How many threads "local-task" uses, and where. The defaults leave it to the
// machine; texts and numbers are checked when the device is opened.
struct TaskOptions {
  // "physical_cores" or "logical_cores": what is counted.
  std::string mode = "physical_cores";
  int64_t group_count = 0;       // threads, whatever is counted; 0: count
  int64_t max_group_count = 64;  // threads at most where they are counted
  // Processors ("0-3,8") that threads are bound to, one each; repeated sets
  // are taken together. Empty: the system places threads.
  std::vector<std::string> cpu_ids;
  int64_t spin_us = 50;     // how long an idle thread looks for work at most
  int64_t stack_bytes = 0;  // of each thread at least; 0: the system's default
};

// How "vulkan" uses its devices.
struct VulkanOptions {
  // Checks shaders with SPIRV-Tools before the driver sees them.
  bool validate_spirv = false;
  // Khronos' validation layer watches what is done, where it is installed.
  bool validation_layer = false;
  // For tests: treats memory of the device as if the host could not see it.
  bool hide_device_memory = false;
  // For tests: binds by sets from pools, as on devices that cannot push
  // descriptors.
  bool hide_push_descriptors = false;
  // For tests: the device has no piece of memory larger than this left, bytes;
  // 0: it has what it has.
  uint64_t refuse_blocks_above = 0;
  // Invocations of a subgroup where shaders that use subgroups name no number;
  // 0: the driver chooses.
  uint32_t subgroup_size = 0;
  // The folder of pipeline caches, made when there is something to keep;
  // empty: none is kept.
  std::string cache_folder;
  // Shaders reach no memory past the buffers that are bound, as far as the
  // device's robustBufferAccess goes.
  bool robust_buffer_access = false;
};

// What the user chose for the devices of this process.
struct DriverOptions {
  bool allow_system_executables = false;  // dlopen of system-elf executables
  // False: machine code is refused. Shaders are taken, with robust access and
  // without raw addresses.
  bool allow_native_code = true;
  TaskOptions task;
  VulkanOptions vulkan;
  // Takes a sentence that is worth knowing and no error; may be null. It is
  // called on any thread, also on several at once, as long as anything of the
  // device is alive, and must not use the device.
  std::function<void(absl::string_view)> notice;
  // Where CPU devices have the bytes of their buffers from; null: the system.
  // Devices with memory of their own are UNIMPLEMENTED with it.
  std::shared_ptr<HostMemory> host_memory;
  // Where the functions of loaded machine code are named; may be null.
  std::shared_ptr<PerfMap> perf_map;
  // For executables that are no machine code, of formats that differ.
  std::vector<std::shared_ptr<const ExecutableLoader>> loaders;
};

class Driver {
 public:
  virtual ~Driver() = default;
  virtual absl::string_view name() const = 0;         // "local-sync"
  virtual absl::string_view description() const = 0;  // one line
  // URIs of the devices present: {"local-sync://"}.
  virtual absl::StatusOr<std::vector<std::string>> ListDevices() const = 0;
  // What is known of a device, "key: value" in lines, for --dump_devices; may
  // be empty. Fails as Open.
  virtual absl::StatusOr<std::string> DescribeDevice(absl::string_view) const {
    return std::string();
  }
  // What an executable holds, without running any of it; nullopt: its format
  // is none of this driver's. Needs no device. INVALID_ARGUMENT: damaged;
  // UNIMPLEMENTED: what is not read.
  virtual std::optional<absl::StatusOr<ExecutableFacts>> DescribeExecutable(
      absl::string_view, std::span<const uint8_t>) const {
    return std::nullopt;
  }
  // `path` is what follows "driver://". NOT_FOUND: no such device.
  virtual absl::StatusOr<Ref<Device>> Open(
      absl::string_view path, const DriverOptions& options) const = 0;
};

// Every driver built into this binary, by name ascending.
std::vector<std::unique_ptr<Driver>> AllDrivers();

// Opens a --device value. NOT_FOUND names the drivers there are.
absl::StatusOr<Ref<Device>> OpenDevice(absl::string_view uri,
                                       const DriverOptions& options);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_DRIVER_H_
