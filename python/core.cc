// The extension module eyrie._core: a module's context with its functions, as
// eyrie/_model.py wants it.
//
// Whatever runs in a module, or waits, does so without the GIL: logs take it. A
// mutex lets one thread at a time into a context.
// Tested by eyrie_test.py, ended_calls_test.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "call_scope.h"
#include "eyrie/runtime.h"
#include "gil.h"
#include "log.h"
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
  int jit = 0;  // of eyrie::Jit
  uint64_t fuel = 0;
  double timeout = 0;  // seconds; 0 or infinite: any
  uint64_t max_memory = 0;
  uint64_t max_stack = 0;
  std::vector<std::string> parameters;
  bool text = false;
  bool allow_loss = false;
};

// One call, that any thread may end: Core::Cancel.
struct Ticket {
  std::atomic<bool> cancelled = false;
};

class Core {
  // Runs it alone in the context, without the GIL: what it drops may want it.
  template <typename F>
  auto InTurn(const Ticket& ticket, F run) {
    CallScope scope;
    auto result = [&]() -> decltype(run(scope)) {
      const WithoutGil release;
      std::unique_lock<std::timed_mutex> turn(turn_, std::try_to_lock);
      while (!turn && !turn.try_lock_for(kLook)) {
        if (ticket.cancelled) return Cancelled();
        scope.LookForSignals();
      }
      return run(scope);
    }();
    if (!result || scope.failed()) {
      scope.ThrowCause();
      Raise(Explain(result.error()));
    }
    return std::move(*result);
  }

  // Says which option of Python's there is for it.
  Error Explain(const Error& error) const {
    if (!std::string_view(error.message()).ends_with("without loss.")) {
      return error;
    }
    return Error(error.code(),
                 error.message() +
                     " eyrie.load(..., allow_loss=True) converts it and "
                     "refuses values that do not fit.");
  }

  // What `get` makes of a function, with the GIL.
  template <typename F>
  nb::tuple OfFunction(const std::string& name, F get) {
    const Ticket ticket;
    return get(
        InTurn(ticket, [&](CallScope&) { return context_->Find(name); }));
  }

 public:
  // `source`: a path, or the bytes of a module.
  Core(nb::object source, Options options) : options_(std::move(options)) {
    Unwrap([&]() -> Result<void> {
      const std::span<const std::byte> bytes = BytesOf(source);
      const std::string path =
          bytes.data() == nullptr ? nb::cast<std::string>(source) : "";
      const WithoutGil release;
      auto module = path.empty() ? Module::Load(bytes) : Module::Load(path);
      if (!module) return module.error();
      module_ = std::make_shared<Module>(std::move(*module));
      auto devices = OpenDevices();
      if (!devices) return devices.error();
      devices_ = std::make_shared<std::vector<Device>>(std::move(*devices));
      return Renew();
    }());
  }
  // Another context of the same module and devices.
  explicit Core(const Core& other)
      : options_(other.options_),
        module_(other.module_),
        devices_(other.devices_) {
    Unwrap([&] {
      const WithoutGil release;
      return Renew();
    }());
  }
  ~Core() {
    const WithoutGil release;
    context_.reset();
    devices_.reset();
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& info : module_->functions()) names.push_back(info.name);
    return names;
  }
  std::string Name() const { return module_->name(); }

  nb::object Call(const std::string& name, nb::tuple arguments,
                  nb::dict keywords) {
    Ticket ticket;
    return CallWith(ticket, name, std::move(arguments), std::move(keywords));
  }
  // The same, of a ticket for this call alone.
  nb::object CallWith(Ticket& ticket, const std::string& name,
                      nb::tuple arguments, nb::dict keywords) {
    std::vector<Value> given;
    for (const nb::handle item : arguments) given.push_back(Argument(item));
    std::vector<Value::Entry> named;
    for (const auto& [key, item] : keywords) {
      named.emplace_back(nb::cast<std::string>(key), Argument(item));
    }
    std::vector<Value> values = InTurn(ticket, [&](CallScope& scope) {
      return Run(ticket, scope, name, given, named);
    });
    if (values.empty()) return nb::none();
    if (values.size() == 1) return ToPython(std::move(values[0]), text());
    nb::list list;
    for (Value& value : values) list.append(ToPython(std::move(value), text()));
    return nb::tuple(list);
  }

  // The signature as text, where it comes from, and what the source says.
  nb::tuple Signature(const std::string& name) {
    return OfFunction(name, [](const Function& function) {
      const eyrie_signature_t signature = function.signature();
      return nb::make_tuple(signature.text, signature.source, signature.doc);
    });
  }

  // Arrays of the last call: used in place, copied, packed, converted.
  nb::tuple Statistics(const std::string& name) {
    return OfFunction(name, [](const Function& function) {
      const eyrie_call_statistics_t last = function.statistics();
      return nb::make_tuple(last.lent, last.copied, last.packed,
                            last.converted);
    });
  }

  // Ends the call of this ticket, whether it runs, waits or is still to begin;
  // one that is over stays as it is.
  void Cancel(Ticket& ticket) {
    const std::lock_guard<std::mutex> lock(running_mutex_);
    ticket.cancelled = true;
    if (running_ == &ticket) context_->Cancel();
  }
  // Ends the call that runs; false: there is none.
  bool CancelRunning() {
    const std::lock_guard<std::mutex> lock(running_mutex_);
    if (running_ == nullptr) return false;
    context_->Cancel();
    return true;
  }

 private:
  bool text() const { return options_.text; }
  Value Argument(nb::handle object) const {
    Value value = FromPython(object);
    if (value.kind() == EYRIE_KIND_NO_MEMORY) throw std::bad_alloc();
    if (options_.allow_loss) value.AllowLoss();
    return value;
  }

  // In turn. A context that an earlier call has failed is replaced first.
  Result<std::vector<Value>> Run(Ticket& ticket, CallScope& scope,
                                 const std::string& name,
                                 const std::vector<Value>& given,
                                 const std::vector<Value::Entry>& named) {
    if (context_->failed()) {
      if (auto renewed = Renew(); !renewed) return renewed.error();
    }
    if (!SetRunning(&ticket)) return Cancelled();
    auto values = [&] {
      const CallScope::Within within(scope, *context_);
      return context_->Call(name, given, named);
    }();
    SetRunning(nullptr);
    return values;
  }
  // False: the call is cancelled already.
  bool SetRunning(const Ticket* ticket) {
    const std::lock_guard<std::mutex> lock(running_mutex_);
    if (ticket != nullptr && ticket->cancelled) return false;
    running_ = ticket;
    return true;
  }
  static Error Cancelled() {
    return Error(EYRIE_CANCELLED, "The call is cancelled.");
  }

  // Empty: the source is a path.
  static std::span<const std::byte> BytesOf(nb::handle source) {
    if (!PyBytes_Check(source.ptr())) return {};
    return std::as_bytes(
        std::span(PyBytes_AsString(source.ptr()),
                  static_cast<size_t>(PyBytes_Size(source.ptr()))));
  }

  Result<std::vector<Device>> OpenDevices() const {
    DeviceOptions choices;
    choices.allow_system_executables = options_.allow_system_executables;
    choices.no_native_code = options_.no_native_code;
    choices.jit = static_cast<Jit>(options_.jit);
    choices.log = LogToPython();
    std::vector<Device> devices;
    for (const std::string& uri : options_.devices) {
      auto device = Device::Open(uri, choices);
      if (!device) return device.error();
      devices.push_back(std::move(*device));
    }
    return devices;
  }

  // Makes the context, or puts a new one in its place. Nothing runs in it.
  Result<void> Renew() {
    Limits limits;
    limits.fuel = options_.fuel;
    // Of what is longer than 290 years nobody sees the end.
    if (options_.timeout > 0 && options_.timeout < 9e9) {
      limits.timeout = std::chrono::nanoseconds(
          static_cast<int64_t>(std::ceil(options_.timeout * 1e9)));
    }
    limits.max_memory = options_.max_memory;
    limits.max_stack = options_.max_stack;
    std::vector<const Device*> devices;
    for (const Device& device : *devices_) devices.push_back(&device);
    auto made =
        Context::Create(devices, {module_.get()}, limits, options_.parameters);
    if (!made) return made.error();
    context_ = std::make_unique<Context>(std::move(*made));
    return {};
  }

  // How often who waits for a turn looks around.
  static constexpr std::chrono::milliseconds kLook{20};

  const Options options_;
  std::shared_ptr<const Module> module_;
  std::shared_ptr<const std::vector<Device>> devices_;
  std::unique_ptr<Context> context_;
  std::timed_mutex turn_;  // in the context
  std::mutex running_mutex_;
  const Ticket* running_ = nullptr;  // the call that runs
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

// Has libstdc++ make this thread's own data now: later there may be no memory
// for it, and the system's loader would end the process.
void CreateThreadData() {
  try {
    throw 0;
  } catch (int) {
  }
}

NB_MODULE(_core, m) {
  CreateThreadData();
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
  nb::class_<Ticket>(m, "Ticket", "One call, that may be cancelled.")
      .def(nb::init<>());
  nb::class_<Core>(m, "Core")
      .def(
          "__init__",
          [](Core* self, nb::object source, std::vector<std::string> devices,
             bool allow_system_executables, bool no_native_code, int jit,
             uint64_t fuel, double timeout, uint64_t max_memory,
             uint64_t max_stack, std::vector<std::string> parameters, bool text,
             bool allow_loss) {
            new (self)
                Core(std::move(source),
                     {std::move(devices), allow_system_executables,
                      no_native_code, jit, fuel, timeout, max_memory, max_stack,
                      std::move(parameters), text, allow_loss});
          },
          nb::arg("source"), nb::arg("devices"),
          nb::arg("allow_system_executables"), nb::arg("no_native_code"),
          nb::arg("jit"), nb::arg("fuel"), nb::arg("timeout"),
          nb::arg("max_memory"), nb::arg("max_stack"), nb::arg("parameters"),
          nb::arg("text"), nb::arg("allow_loss"))
      .def("sibling", [](const Core& self) { return new Core(self); })
      .def("names", &Core::Names)
      .def("name", &Core::Name)
      .def("call", &Core::Call)
      .def("signature", &Core::Signature)
      .def("statistics", &Core::Statistics)
      .def("call_with", &Core::CallWith)
      .def("cancel", &Core::Cancel)
      .def("cancel_running", &Core::CancelRunning);
  m.def(
      "copy",
      [](nb::object object) {
        Value value = FromPython(object);
        if (value.kind() == EYRIE_KIND_NO_MEMORY) throw std::bad_alloc();
        return ToPython(Value(value), false);
      },
      nb::arg("value").none(),
      "The object as it comes out of a function that passes it on.");
  m.def("set_main_thread", &SetMainThread,
        "Whose calls Ctrl-C ends: threading.main_thread().ident.");
  m.def("forget_calls", &ForgetCalls, "In the child of a fork.");
  nb::class_<AtEnd>(m, "AtEnd",
                    "When it is released, no thread asks for the GIL any more.")
      .def(nb::init<>());
  m.def("set_log", &SetLogFunction,
        "Has a function(severity, line) take what the library says.");
  m.def(
      "abandon", [](nb::object object) { object.inc_ref(); },
      "Never frees the object: what a fork has left of it.");
}

}  // namespace
}  // namespace eyrie::python
