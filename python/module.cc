// The extension module eyrie._core, for the Python files of the package.
//
// Tested by eyrie_test.py, ended_calls_test.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "array_from_python.h"
#include "call_scope.h"
#include "core.h"
#include "device_array.h"
#include "devices.h"
#include "errors.h"
#include "eyrie/needs.h"
#include "function.h"
#include "gil.h"
#include "log.h"
#include "native_libraries.h"
#include "text.h"
#include "values.h"

namespace nb = nanobind;

namespace eyrie::python {
namespace {

// Makes libstdc++ create its data for this thread now: if there is no memory
// for it later, the system's loader ends the process.
void CreateThreadData() {
  try {
    throw 0;
  } catch (int) {
  }
}

void AddValues(nb::module_& m) {
  nb::class_<Lent>(m, "Lent", "An object that calls may change.")
      .def("__init__", [](Lent* self, nb::object object) {
        new (self) Lent{std::move(object)};
      });
  nb::class_<Donated>(m, "Donated", "A DeviceArray that a call will own.")
      .def("__init__", [](Donated* self, nb::object object) {
        new (self) Donated{std::move(object)};
      });
  nb::class_<Reference>(m, "Reference",
                        "An object of a module, which can only be passed on.")
      .def("__repr__", [](const Reference& self) {
        return StrOf(std::string("<eyrie.Reference to a ") +
                     eyrie_value_ref_type(self.value.get()) + ">");
      });
  m.def(
      "copy",
      [](nb::object object) { return ToPython(FromPython(object), {}); },
      nb::arg("value").none(),
      "Returns the object as a function that passes it on returns it.");
  m.def(
      "device_array",
      [](nb::object object) {
        const Value given = ArrayFromPython(object);
        const ArrayView view = Unwrap(given.array());
        if (!view.is_dense()) RaiseArgument("The array is not dense.");
        return NewDeviceArray(
            Unwrap(Value::Array(view.dtype(), view.shape(), view.bytes())));
      },
      "Returns a DeviceArray with a copy of an array's elements.");
  m.def("is_shared", &IsShared,
        "Reports whether a DeviceArray cannot be given away, because others "
        "use its memory.");
}

// Returns (runs_here, devices, reasons, notes, patterns, formats, modules,
// scopes) of a path or of bytes.
nb::tuple NeedsOf(nb::handle source, bool system, bool no_native_code,
                  bool isolate) {
  const bool is_path = nb::isinstance<nb::str>(source);
  const std::string given =
      is_path ? PathOf(source, kModulePath)
              : std::string(nb::cast<nb::bytes>(source).c_str(),
                            nb::cast<nb::bytes>(source).size());
  const Needs needs = Unwrap([&]() -> Result<Needs> {
    const WithoutGil release;
    const auto module = is_path ? Module::Load(given)
                                : Module::Load(std::as_bytes(std::span(given)));
    if (!module) return module.error();
    return ReadNeeds(*module, {.allow_system_executables = system,
                               .no_native_code = no_native_code,
                               .isolate = isolate});
  }());
  return nb::make_tuple(needs.runs_here, StrsOf(needs.devices),
                        StrsOf(needs.reasons), StrsOf(needs.notes),
                        StrsOf(needs.patterns), StrsOf(needs.formats),
                        StrsOf(needs.modules), StrsOf(needs.scopes));
}

std::vector<Import> ImportsOf(const std::vector<nb::tuple>& rows) {
  std::vector<Import> imports;
  for (const nb::tuple& row : rows) {
    imports.push_back({TextOf(row[0]), TextOf(row[1]), nb::borrow(row[2])});
  }
  return imports;
}

void AddCore(nb::module_& m) {
  nb::class_<Snapshot>(
      m, "Snapshot", "The globals of a model at one moment (Model.snapshot).");
  nb::class_<Ticket>(m, "Ticket", "Identifies a call, for Core.cancel.")
      .def("__init__", [](Ticket* self) {
        new (self) Ticket();
        self->token.emplace();
      });
  nb::class_<Core>(m, "Core")
      .def(
          "__init__",
          [](Core* self, std::vector<nb::object> sources,
             const std::vector<const OpenDevice*>& opened, uint64_t fuel,
             double timeout, uint64_t max_memory, uint64_t max_stack,
             const std::vector<nb::object>& parameters,
             const std::vector<nb::tuple>& weights, bool text, bool allow_loss,
             bool on_device, const std::vector<nb::tuple>& imports,
             const std::vector<const OpenLibrary*>& native) {
            std::vector<Device> devices;
            for (const OpenDevice* each : opened) {
              devices.push_back(*each->device);
            }
            Libraries libraries;
            for (const OpenLibrary* each : native) {
              libraries.push_back(each->library);
            }
            new (self)
                Core(std::move(sources), std::move(devices),
                     {fuel, timeout, max_memory, max_stack,
                      PathsOf(parameters, "path of parameters"),
                      std::make_shared<Weights>(weights), text, allow_loss,
                      on_device, ImportsOf(imports), std::move(libraries)});
          },
          nb::arg("sources"), nb::arg("devices"), nb::arg("fuel"),
          nb::arg("timeout"), nb::arg("max_memory"), nb::arg("max_stack"),
          nb::arg("parameters"), nb::arg("weights"), nb::arg("text"),
          nb::arg("allow_loss"), nb::arg("on_device"), nb::arg("imports"),
          nb::arg("libraries"))
      .def(
          "sibling",
          [](const Core& self, const Snapshot* snapshot) {
            return new Core(self, snapshot);
          },
          nb::arg("snapshot").none())
      .def("globals", [](const Core& self) { return StrsOf(self.Globals()); })
      .def(
          "get_global",
          [](Core& self, nb::str name) { return self.GetGlobal(TextOf(name)); })
      .def(
          "set_global",
          [](Core& self, nb::str name, nb::handle value) {
            self.SetGlobal(TextOf(name), value);
          },
          nb::arg("name"), nb::arg("value").none())
      .def("snapshot", &Core::TakeSnapshot)
      .def("restore", &Core::Restore)
      .def("names", [](const Core& self) { return StrsOf(self.Names()); })
      .def("name", [](const Core& self) { return StrOf(self.Name()); })
      .def("cancel", &Core::Cancel)
      .def("cancel_running", &Core::CancelRunning)
      .def("close", &Core::Close)
      .def("refuse_own_call", &Core::RefuseOwnCall);
}

NB_MODULE(_core, m) {
  CreateThreadData();
  // Objects may still exist when the interpreter exits, and after a fork.
  nb::set_leak_warnings(false);
  m.attr("__version__") = EYRIE_VERSION;
  AddValues(m);
  AddDeviceArray(m);
  AddDevices(m);
  AddNativeLibraries(m);
  AddCore(m);
  AddFunction(m);
  m.def("needs", &NeedsOf, nb::arg("source"),
        nb::arg("allow_system_executables"), nb::arg("no_native_code"),
        nb::arg("isolate"));
  m.def("set_main_thread", &SetMainThread,
        "Sets the thread whose calls Ctrl-C ends, by its `ident`.");
  m.def(
      "after_fork",
      [] {
        ForgetCalls();
        ++Core::epoch;
      },
      "Must be called in the child of a fork.");
  nb::class_<AtEnd>(m, "AtEnd",
                    "After its release, no thread acquires the GIL any more.")
      .def(nb::init<>());
  m.def(
      "set_log", &SetLogFunction,
      "Sets a function(severity, line) that receives the library's messages.");
  m.def("set_error", &SetErrorFunction,
        "Sets a function(code, message) that returns the exception to raise.");
  m.def(
      "abandon", [](nb::object object) { object.inc_ref(); },
      "Never frees the object, which belongs to the parent of a fork.");
}

}  // namespace
}  // namespace eyrie::python
