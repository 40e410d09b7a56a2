// Opens and lists devices.
#include "devices.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <chrono>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "call_scope.h"
#include "errors.h"
#include "gil.h"
#include "log.h"
#include "text.h"

namespace nb = nanobind;

namespace eyrie::python {
namespace {

Device Open(const std::string& name, const DeviceOptions& options) {
  CallScope scope;
  auto device = [&] {
    const WithoutGil release;
    return Device::Open(name, options);
  }();
  if (scope.failed()) scope.ThrowCause();
  return Unwrap(std::move(device));
}

nb::list List() {
  const std::vector<DeviceInfo> devices = [] {
    const WithoutGil release;
    return Devices();
  }();
  nb::list rows;
  for (const DeviceInfo& info : devices) {
    rows.append(nb::make_tuple(StrOf(info.uri), StrOf(info.driver),
                               StrOf(info.description), StrOf(info.properties),
                               StrOf(info.error)));
  }
  return rows;
}

}  // namespace

void AddDevices(nb::module_& m) {
  nb::class_<OpenDevice>(m, "Device")
      .def(
          "__init__",
          [](OpenDevice* self, nb::str name, uint32_t threads, nb::str cpus,
             std::optional<double> spin, bool allow_system_executables,
             bool no_native_code, int jit, uint64_t max_idle_memory,
             nb::str pipeline_cache, bool isolate) {
            DeviceOptions options;
            options.thread_count = threads;
            options.thread_cpus = TextOf(cpus);
            if (spin.has_value()) {
              options.thread_spin =
                  std::chrono::microseconds(static_cast<int64_t>(*spin * 1e6));
            }
            options.allow_system_executables = allow_system_executables;
            options.no_native_code = no_native_code;
            options.jit = static_cast<Jit>(jit);
            options.max_idle_memory = max_idle_memory;
            options.pipeline_cache =
                PathOf(pipeline_cache, "folder of pipeline caches");
            options.isolate = isolate;
            options.log = LogToPython();
            new (self) OpenDevice(Open(PathOf(name, "device's name"), options));
          },
          nb::arg("name"), nb::arg("threads"), nb::arg("cpus"),
          nb::arg("spin").none(), nb::arg("allow_system_executables"),
          nb::arg("no_native_code"), nb::arg("jit"), nb::arg("max_idle_memory"),
          nb::arg("pipeline_cache"), nb::arg("isolate"));
  m.def("devices", &List,
        "Returns (uri, driver, description, properties, error) per device.");
}

}  // namespace eyrie::python
