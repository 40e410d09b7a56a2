// Devices, which are opened by name.
//
// In a child of fork(), a device with threads that the parent opened fails with
// FAILED_PRECONDITION. The child must open its own.
#ifndef EYRIE_DEVICE_H_
#define EYRIE_DEVICE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "eyrie/allocator.h"
#include "eyrie/c.h"
#include "eyrie/log.h"
#include "eyrie/result.h"

namespace eyrie {

// Which bytecode functions are compiled to machine code: those that are called
// or loop often, none, or every function when it is first called. The
// interpreter runs all others, and runs everything if the system refuses
// executable memory.
enum class Jit { kLazy, kOff, kEager };

struct DeviceOptions {
  // Allows executables in the platform's own format.
  bool allow_system_executables = false;
  // Refuses native executables. Use this for untrusted modules.
  bool no_native_code = false;
  // Receives information that is not an error; may be empty. May be called on
  // any thread, and on several at the same time, while the device or an object
  // of it exists. Must not use the device or throw.
  std::function<void(const std::string&)> notice = nullptr;
  // Receives the notices too, and the messages of contexts whose first device
  // this is; may be empty. The library itself prints nothing.
  Log log = nullptr;
  // Allocates the buffers of a CPU device; if null, the system does. Devices
  // with their own memory (Vulkan) return UNIMPLEMENTED.
  std::shared_ptr<Allocator> allocator = nullptr;
  // For the device's bytecode kernels and for contexts whose first device this
  // is.
  Jit jit = Jit::kLazy;
  // Limit of the memory that the device keeps for later buffers, in bytes. 0: a
  // quarter of the memory that this process, or the GPU, has; 1: nothing is
  // kept. Memory that is not used for 10 s is freed.
  uint64_t max_idle_memory = 0;
  // The threads of "local-task": how many (0: one per core, at most 64), their
  // processors ("0-3,8", one thread for each; empty: any), and how long an idle
  // one polls.
  // Other devices ignore these.
  uint32_t thread_count = 0;
  std::string thread_cpus = "";
  std::chrono::microseconds thread_spin{50};
  // The folder of Vulkan's pipeline caches; empty: none.
  std::string pipeline_cache = "";
  // Opens this device of the program; the name must be "vulkan". See
  // eyrie_vulkan_device_t.
  const eyrie_vulkan_device_t* vulkan_device = nullptr;
  // Runs machine code of modules in a process of its own, which can do nothing
  // but compute. Use this for untrusted modules.
  bool isolate = false;
};

// A device that can be opened.
struct DeviceInfo {
  std::string uri;          // "local-sync://"
  std::string driver;       // "local-sync"
  std::string description;  // of the driver
  std::string properties;   // lines of "key: value"
  std::string error;        // why the driver has no devices; else ""
};

// Lists the devices of all drivers. This loads Vulkan's drivers.
inline std::vector<DeviceInfo> Devices() {
  const eyrie_device_list_t* const list = eyrie_device_list_create();
  std::vector<DeviceInfo> devices;
  for (size_t i = 0; i < list->count; ++i) {
    const eyrie_device_info_t& info = *list->devices[i];
    devices.push_back(
        {info.uri, info.driver, info.description, info.properties, info.error});
  }
  eyrie_device_list_free(list);
  return devices;
}

// A device. Thread-safe; any number of contexts may share it. Copies refer to
// the same device.
class Device {
 public:
  // Opens a device by its name, such as "local-sync"; Devices() lists them. A
  // name may end with settings, "local-task://?threads=4", which replace those
  // of `choices`. NOT_FOUND: no such driver or device.
  // Other errors are those of eyrie_device_open.
  static Result<Device> Open(const std::string& uri,
                             const DeviceOptions& choices = {}) {
    eyrie_device_options_t options = {};
    options.struct_size = sizeof(options);
    options.allow_system_executables = choices.allow_system_executables;
    options.no_native_code = choices.no_native_code;
    options.max_idle_memory = choices.max_idle_memory;
    if (choices.notice) {
      using Notice = std::function<void(const std::string&)>;
      options.notice = [](const char* sentence, void* data) {
        (*static_cast<Notice*>(data))(sentence);
      };
      options.notice_data = new Notice(choices.notice);
      options.free_notice_data = [](void* data) {
        delete static_cast<Notice*>(data);
      };
    }
    internal::SetLog(choices.log, options);
    const internal::AllocatorHandle allocator =
        internal::ToC(choices.allocator);
    options.allocator = allocator.get();
    options.jit = static_cast<int>(choices.jit);
    options.thread_count = choices.thread_count;
    if (!choices.thread_cpus.empty()) {
      options.thread_cpus = choices.thread_cpus.c_str();
    }
    const int64_t spin = choices.thread_spin.count();
    options.thread_spin_us = spin > 0 ? spin : -1;
    if (!choices.pipeline_cache.empty()) {
      options.pipeline_cache = choices.pipeline_cache.c_str();
    }
    options.vulkan_device = choices.vulkan_device;
    options.isolate = choices.isolate;
    eyrie_device_t* handle = nullptr;
    if (eyrie_error_t* error =
            eyrie_device_open(uri.c_str(), &options, &handle)) {
      return Error(error);
    }
    return Device(handle);
  }

  eyrie_device_t* get() const { return handle_.get(); }

 private:
  explicit Device(eyrie_device_t* handle) : handle_(handle) {}
  internal::SharedHandle<eyrie_device_t, eyrie_device_retain,
                         eyrie_device_release>
      handle_;
};

}  // namespace eyrie

#endif  // EYRIE_DEVICE_H_
