// Devices by name. Thread-safe; shared by any number of contexts.
#ifndef EYRIE_DEVICE_H_
#define EYRIE_DEVICE_H_

#include <string>

#include "eyrie/c.h"
#include "eyrie/result.h"

namespace eyrie {

class Device {
 public:
  // "local-sync", or any other name `eyrie run --list_devices` prints.
  static Result<Device> Open(const std::string& uri) {
    eyrie_device_t* handle = nullptr;
    if (eyrie_error_t* error =
            eyrie_device_open(uri.c_str(), nullptr, &handle)) {
      return Error(error);
    }
    return Device(handle);
  }

  eyrie_device_t* get() const { return handle_.get(); }

 private:
  explicit Device(eyrie_device_t* handle) : handle_(handle) {}
  internal::Handle<eyrie_device_t, eyrie_device_release> handle_;
};

}  // namespace eyrie

#endif  // EYRIE_DEVICE_H_
