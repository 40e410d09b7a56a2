// Devices by name. Thread-safe; shared by any number of contexts. A child of
// fork() cannot use its parent's devices that have threads, and opens its own.
#ifndef EYRIE_DEVICE_H_
#define EYRIE_DEVICE_H_

#include <functional>
#include <memory>
#include <string>

#include "eyrie/allocator.h"
#include "eyrie/c.h"
#include "eyrie/log.h"
#include "eyrie/result.h"

namespace eyrie {

// Which functions of modules become machine code: those that are hot, none, or
// each when it is called. The interpreter runs the others, and all where the
// system refuses memory that is executable.
enum class Jit { kLazy, kOff, kEager };

struct DeviceOptions {
  // Executables of the platform's own format may be loaded.
  bool allow_system_executables = false;
  // Executables of native code are refused: for modules from strangers.
  bool no_native_code = false;
  // Takes sentences that are worth knowing and no errors; may be empty. Called
  // on any thread, also on several at once, while anything of the device lives;
  // it must not use the device, nor throw.
  std::function<void(const std::string&)> notice = nullptr;
  // Takes the notices too, and what is said in contexts whose first device this
  // is; may be empty. The library itself prints nothing.
  Log log = nullptr;
  // Where a CPU device has the bytes of its buffers from; null: the system.
  // UNIMPLEMENTED of devices with memory of their own.
  std::shared_ptr<Allocator> allocator = nullptr;
  // Of contexts whose first device this is, and of its bytecode kernels.
  Jit jit = Jit::kLazy;
};

// Copies are the same device.
class Device {
 public:
  // "local-sync", or any other name `eyrie run --list_devices` prints.
  static Result<Device> Open(const std::string& uri,
                             const DeviceOptions& choices = {}) {
    eyrie_device_options_t options = {};
    options.struct_size = sizeof(options);
    options.allow_system_executables = choices.allow_system_executables;
    options.no_native_code = choices.no_native_code;
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
    internal::SetAllocator(choices.allocator, options);
    options.jit = static_cast<int>(choices.jit);
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
