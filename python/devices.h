// Devices as Python uses them: eyrie._core.Device, and a list of those present.
//
// Tested by devices_test.py.
#ifndef EYRIE_PYTHON_DEVICES_H_
#define EYRIE_PYTHON_DEVICES_H_

#include <nanobind/nanobind.h>

#include <optional>
#include <utility>

#include "eyrie/runtime.h"
#include "gil.h"

namespace eyrie::python {

// An open device. Cores that use it retain it.
struct OpenDevice {
  explicit OpenDevice(Device device) : device(std::move(device)) {}
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;
  // Releases the GIL, which the device's threads may need to end.
  ~OpenDevice() {
    const WithoutGil release;
    device.reset();
  }

  std::optional<Device> device;  // never empty
};

// Adds the class and the function to the extension module.
void AddDevices(nanobind::module_& m);

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_DEVICES_H_
