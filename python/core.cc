// The extension module eyrie._core: a module's context with its functions, as
// eyrie/_model.py wants it.
//
// Calls release the GIL; a mutex lets one thread at a time into a context.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eyrie/runtime.h"
#include "values.h"

namespace nb = nanobind;

namespace eyrie::python {
namespace {

PyObject* error_type = nullptr;

// In the order of the codes.
constexpr const char* kCodes[] = {
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
};

// What a context is made with.
struct Options {
  std::vector<std::string> devices;
  bool allow_system_executables = false;
  bool no_native_code = false;
  uint64_t fuel = 0;
  double timeout = 0;  // seconds
  uint64_t max_memory = 0;
  uint64_t max_stack = 0;
  std::vector<std::string> parameters;
  bool text = false;
  bool allow_loss = false;
};

class Core {
  // Runs it alone in the context, without the GIL: what it drops may want it.
  template <typename F>
  auto Locked(F run) {
    return Unwrap([&] {
      const nb::gil_scoped_release release;
      const std::lock_guard<std::mutex> lock(mutex_);
      return run();
    }());
  }

 public:
  // `source`: a path, or the bytes of a module.
  Core(nb::object source, Options options)
      : options_(std::move(options)), module_(LoadModule(source)) {
    DeviceOptions choices;
    choices.allow_system_executables = options_.allow_system_executables;
    choices.no_native_code = options_.no_native_code;
    auto devices = std::make_shared<std::vector<Device>>();
    for (const std::string& uri : options_.devices) {
      devices->push_back(Unwrap(Device::Open(uri, choices)));
    }
    devices_ = std::move(devices);
    context_ = MakeContext();
  }
  // Another context of the same module and devices.
  explicit Core(const Core& other)
      : options_(other.options_),
        module_(other.module_),
        devices_(other.devices_),
        context_(MakeContext()) {}

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& info : module_->functions()) names.push_back(info.name);
    return names;
  }
  std::string Name() const { return module_->name(); }

  nb::object Call(const std::string& name, nb::tuple arguments,
                  nb::dict keywords) {
    std::vector<Value> given;
    for (const nb::handle item : arguments) given.push_back(Argument(item));
    std::vector<Value::Entry> named;
    for (const auto& [key, item] : keywords) {
      named.emplace_back(nb::cast<std::string>(key), Argument(item));
    }
    std::vector<Value> values =
        Locked([&] { return context_->Call(name, given, named); });
    if (values.empty()) return nb::none();
    if (values.size() == 1) return ToPython(std::move(values[0]), text());
    nb::list list;
    for (Value& value : values) list.append(ToPython(std::move(value), text()));
    return nb::tuple(list);
  }

  // The signature as text, where it comes from, and what the source says.
  nb::tuple Signature(const std::string& name) {
    const auto signature = Locked([&]() -> Result<eyrie_signature_t> {
      auto found = context_->Find(name);
      if (!found) return found.error();
      return found->signature();
    });
    return nb::make_tuple(signature.text, signature.source, signature.doc);
  }

  // Arrays of the last call: used in place, copied, packed, converted.
  nb::tuple Statistics(const std::string& name) {
    const auto last = Locked([&]() -> Result<eyrie_call_statistics_t> {
      auto found = context_->Find(name);
      if (!found) return found.error();
      return found->statistics();
    });
    return nb::make_tuple(last.lent, last.copied, last.packed, last.converted);
  }

  void Cancel() { context_->Cancel(); }

 private:
  bool text() const { return options_.text; }
  Value Argument(nb::handle object) const {
    Value value = FromPython(object);
    if (options_.allow_loss) value.AllowLoss();
    return value;
  }

  static std::shared_ptr<const Module> LoadModule(nb::handle source) {
    if (PyBytes_Check(source.ptr())) {
      return std::make_shared<Module>(Unwrap(Module::Load(std::as_bytes(
          std::span(PyBytes_AS_STRING(source.ptr()),
                    static_cast<size_t>(PyBytes_GET_SIZE(source.ptr())))))));
    }
    return std::make_shared<Module>(
        Unwrap(Module::Load(nb::cast<std::string>(source))));
  }

  std::unique_ptr<Context> MakeContext() const {
    Limits limits;
    limits.fuel = options_.fuel;
    // Of what is longer than 290 years nobody sees the end.
    if (options_.timeout < 9e9) {
      limits.timeout = std::chrono::nanoseconds(
          static_cast<int64_t>(options_.timeout * 1e9));
    }
    limits.max_memory = options_.max_memory;
    limits.max_stack = options_.max_stack;
    std::vector<const Device*> devices;
    for (const Device& device : *devices_) devices.push_back(&device);
    return std::make_unique<Context>(Unwrap(Context::Create(
        devices, {module_.get()}, limits, options_.parameters)));
  }

  Options options_;
  std::shared_ptr<const Module> module_;
  std::shared_ptr<const std::vector<Device>> devices_;
  std::unique_ptr<Context> context_;
  std::mutex mutex_;  // of the context
};

}  // namespace

void Raise(const Error& error) {
  const nb::object exception = nb::steal(
      PyObject_CallFunction(error_type, "s", error.message().c_str()));
  if (exception.is_valid()) {
    const size_t code = error.code();
    exception.attr("code") =
        nb::str(code < std::size(kCodes) ? kCodes[code] : "UNKNOWN");
    PyErr_SetObject(error_type, exception.ptr());
  }
  throw nb::python_error();
}

namespace {

NB_MODULE(_core, m) {
  // Of what lives when the interpreter ends, and after a fork.
  nb::set_leak_warnings(false);
  m.attr("__version__") = EYRIE_VERSION;
  const nb::object error = nb::steal(PyErr_NewExceptionWithDoc(
      "eyrie.Error", "What Eyrie fails with; `code` is INVALID_ARGUMENT, ...",
      PyExc_RuntimeError, nullptr));
  error_type = error.ptr();
  m.attr("Error") = error;
  nb::class_<Lent>(m, "Lent").def("__init__",
                                  [](Lent* self, nb::object object) {
                                    new (self) Lent{std::move(object)};
                                  });
  nb::class_<Reference>(m, "Reference")
      .def("__repr__", [](const Reference& self) {
        return std::string("<eyrie.Reference to a ") +
               eyrie_value_ref_type(self.value.get()) + ">";
      });
  nb::class_<Core>(m, "Core")
      .def(
          "__init__",
          [](Core* self, nb::object source, std::vector<std::string> devices,
             bool allow_system_executables, bool no_native_code, uint64_t fuel,
             double timeout, uint64_t max_memory, uint64_t max_stack,
             std::vector<std::string> parameters, bool text, bool allow_loss) {
            new (self)
                Core(std::move(source),
                     {std::move(devices), allow_system_executables,
                      no_native_code, fuel, timeout, max_memory, max_stack,
                      std::move(parameters), text, allow_loss});
          },
          nb::arg("source"), nb::arg("devices"),
          nb::arg("allow_system_executables"), nb::arg("no_native_code"),
          nb::arg("fuel"), nb::arg("timeout"), nb::arg("max_memory"),
          nb::arg("max_stack"), nb::arg("parameters"), nb::arg("text"),
          nb::arg("allow_loss"))
      .def("sibling", [](const Core& self) { return new Core(self); })
      .def("names", &Core::Names)
      .def("name", &Core::Name)
      .def("call", &Core::Call)
      .def("signature", &Core::Signature)
      .def("statistics", &Core::Statistics)
      .def("cancel", &Core::Cancel);
  m.def(
      "copy",
      [](nb::object object) {
        Value value = FromPython(object);
        return ToPython(Value(value), false);
      },
      nb::arg("value").none(),
      "The object as it comes out of a function that passes it on.");
  m.def(
      "abandon", [](nb::object object) { object.inc_ref(); },
      "Never frees the object: what a fork has left of it.");
}

}  // namespace
}  // namespace eyrie::python
