// The extension module eyrie._core: a context and its functions, for
// eyrie/_model.py.
//
// Modules run, and threads wait, without the GIL, because logs acquire it. A
// mutex admits one thread at a time to a context.
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

// Indexed by eyrie_code_t.
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

// The options of a context and its devices.
struct Options {
  std::vector<std::string> devices;
  bool allow_system_executables = false;
  bool no_native_code = false;
  int jit = 0;  // an eyrie::Jit
  uint64_t fuel = 0;
  double timeout = 0;  // seconds; 0 or infinity means no limit
  uint64_t max_memory = 0;
  uint64_t max_stack = 0;
  uint64_t max_idle_memory = 0;
  std::vector<std::string> parameters;
  bool text = false;
  bool allow_loss = false;
};

// The keyword argument of calls that gives arrays for results.
constexpr std::string_view kOut = "out";

// The arrays that a call writes its results to: None, an array, or a tuple of
// arrays and None with an entry for each result, as NumPy's functions take it.
class OutArrays {
 public:
  OutArrays() = default;
  explicit OutArrays(nb::handle out) {
    if (out.is_none()) return;
    if (PyTuple_Check(out.ptr())) {
      for (const nb::handle item : nb::borrow<nb::tuple>(out)) Add(item);
    } else {
      Add(out);
    }
  }

  const std::vector<Value>& values() const { return values_; }
  // Returns the array for a result, or None.
  nb::object object(size_t index) const {
    return index < objects_.size() ? objects_[index] : nb::none();
  }

 private:
  void Add(nb::handle item) {
    objects_.push_back(nb::borrow(item));
    values_.push_back(FromPython(item));
  }

  std::vector<nb::object> objects_;
  std::vector<Value> values_;
};

// Identifies a call, so that any thread can end it with Core::Cancel.
struct Ticket {
  std::atomic<bool> cancelled = false;
};

class Core {
  // Calls `run` while no other thread uses the context. Releases the GIL,
  // because values that `run` destroys may need to acquire it.
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

  // Adds the Python option that helps to an error.
  Error Explain(const Error& error) const {
    if (!std::string_view(error.message()).ends_with("without loss.")) {
      return error;
    }
    return Error(error.code(),
                 error.message() +
                     " eyrie.load(..., allow_loss=True) converts it and "
                     "refuses values that do not fit.");
  }

  // Finds a function and passes it to `get`, with the GIL.
  template <typename F>
  nb::tuple OfFunction(const std::string& name, F get) {
    const Ticket ticket;
    return get(
        InTurn(ticket, [&](CallScope&) { return context_->Find(name); }));
  }

 public:
  // `source` is a path or the bytes of a module.
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
  // Creates another context of the same module and devices.
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
  // The same with a ticket, which must be new.
  nb::object CallWith(Ticket& ticket, const std::string& name,
                      nb::tuple arguments, nb::dict keywords) {
    std::vector<Value> given;
    for (const nb::handle item : arguments) given.push_back(Argument(item));
    std::vector<Value::Entry> named;
    OutArrays outs;
    for (const auto& [key, item] : keywords) {
      const auto word = nb::cast<std::string>(key);
      if (word == kOut && !TakesOut(name)) {
        outs = OutArrays(item);
      } else {
        named.emplace_back(word, Argument(item));
      }
    }
    std::vector<Value> values = InTurn(ticket, [&](CallScope& scope) {
      return Run(ticket, scope, name, given, named, outs.values());
    });
    if (values.empty()) return nb::none();
    nb::list list;
    for (size_t i = 0; i < values.size(); ++i) {
      const nb::object out = outs.object(i);
      list.append(out.is_none() ? ToPython(std::move(values[i]), text()) : out);
    }
    if (values.size() == 1) return nb::object(list[0]);
    return nb::tuple(list);
  }

  // Returns the signature's text, its source, and the function's documentation.
  nb::tuple Signature(const std::string& name) {
    return OfFunction(name, [](const Function& function) {
      const eyrie_signature_t signature = function.signature();
      return nb::make_tuple(signature.text, signature.source, signature.doc);
    });
  }

  // Returns how many arrays of the last call were used in place, copied, packed
  // and converted.
  nb::tuple Statistics(const std::string& name) {
    return OfFunction(name, [](const Function& function) {
      const eyrie_call_statistics_t last = function.statistics();
      return nb::make_tuple(last.lent, last.copied, last.packed,
                            last.converted);
    });
  }

  // Ends the ticket's call, whether it is running, waiting or has not begun.
  // Does nothing if the call is over.
  void Cancel(Ticket& ticket) {
    const std::lock_guard<std::mutex> lock(running_mutex_);
    ticket.cancelled = true;
    if (running_ == &ticket) context_->Cancel();
  }
  // Ends the running call. Returns false if there is none.
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

  // Reports whether the function itself has an argument of this name.
  bool TakesOut(const std::string& name) {
    const Ticket ticket;
    const Function function =
        InTurn(ticket, [&](CallScope&) { return context_->Find(name); });
    for (const eyrie_parameter_t& parameter : function.arguments()) {
      if (parameter.is_keyword && std::string_view(parameter.name) == kOut) {
        return true;
      }
    }
    return false;
  }

  // Makes a call; must be called by InTurn. Replaces a failed context first.
  Result<std::vector<Value>> Run(Ticket& ticket, CallScope& scope,
                                 const std::string& name,
                                 const std::vector<Value>& given,
                                 const std::vector<Value::Entry>& named,
                                 const std::vector<Value>& outs) {
    if (context_->failed()) {
      if (auto renewed = Renew(); !renewed) return renewed.error();
    }
    if (!SetRunning(&ticket)) return Cancelled();
    auto values = [&] {
      const CallScope::Within within(scope, *context_);
      return outs.empty() ? context_->Call(name, given, named)
                          : CallOut(name, outs, given, named);
    }();
    SetRunning(nullptr);
    return values;
  }
  Result<std::vector<Value>> CallOut(const std::string& name,
                                     const std::vector<Value>& outs,
                                     const std::vector<Value>& given,
                                     const std::vector<Value::Entry>& named) {
    auto function = context_->Find(name);
    if (!function) return function.error();
    return function->CallOut(outs, given, named);
  }
  // Returns false if the call has been cancelled.
  bool SetRunning(const Ticket* ticket) {
    const std::lock_guard<std::mutex> lock(running_mutex_);
    if (ticket != nullptr && ticket->cancelled) return false;
    running_ = ticket;
    return true;
  }
  static Error Cancelled() {
    return Error(EYRIE_CANCELLED, "The call is cancelled.");
  }

  // Returns the bytes of a module, or null if the source is a path.
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
    choices.max_idle_memory = options_.max_idle_memory;
    choices.log = LogToPython();
    std::vector<Device> devices;
    for (const std::string& uri : options_.devices) {
      auto device = Device::Open(uri, choices);
      if (!device) return device.error();
      devices.push_back(std::move(*device));
    }
    return devices;
  }

  // Creates or replaces the context, in which no call may be running.
  Result<void> Renew() {
    ContextOptions options;
    options.fuel = options_.fuel;
    // More than about 290 years do not fit in 64 bits of nanoseconds.
    if (options_.timeout > 0 && options_.timeout < 9e9) {
      options.timeout = std::chrono::nanoseconds(
          static_cast<int64_t>(std::ceil(options_.timeout * 1e9)));
    }
    options.max_memory = options_.max_memory;
    options.max_stack = options_.max_stack;
    options.parameter_files = options_.parameters;
    std::vector<const Device*> devices;
    for (const Device& device : *devices_) devices.push_back(&device);
    auto made = Context::Create(devices, {module_.get()}, options);
    if (!made) return made.error();
    context_ = std::make_unique<Context>(std::move(*made));
    return {};
  }

  // The interval at which a waiting thread checks for cancellation and signals.
  static constexpr std::chrono::milliseconds kLook{20};

  const Options options_;
  std::shared_ptr<const Module> module_;
  std::shared_ptr<const std::vector<Device>> devices_;
  std::unique_ptr<Context> context_;
  std::timed_mutex turn_;  // held by the thread that uses the context
  std::mutex running_mutex_;
  const Ticket* running_ = nullptr;  // of the running call
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

// Makes libstdc++ create its data for this thread now: if there is no memory
// for it later, the system's loader ends the process.
void CreateThreadData() {
  try {
    throw 0;
  } catch (int) {
  }
}

void CreateError(nb::module_& m) {
  const nb::object error = nb::steal(PyErr_NewExceptionWithDoc(
      "eyrie.Error", "What Eyrie fails with; `code` is INVALID_ARGUMENT, ...",
      PyExc_RuntimeError, nullptr));
  error_type = error.ptr();
  m.attr("Error") = error;
}

NB_MODULE(_core, m) {
  CreateThreadData();
  // Objects may still exist when the interpreter exits, and after a fork.
  nb::set_leak_warnings(false);
  m.attr("__version__") = EYRIE_VERSION;
  CreateError(m);
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
             uint64_t max_stack, uint64_t max_idle_memory,
             std::vector<std::string> parameters, bool text, bool allow_loss) {
            new (self) Core(
                std::move(source),
                {std::move(devices), allow_system_executables, no_native_code,
                 jit, fuel, timeout, max_memory, max_stack, max_idle_memory,
                 std::move(parameters), text, allow_loss});
          },
          nb::arg("source"), nb::arg("devices"),
          nb::arg("allow_system_executables"), nb::arg("no_native_code"),
          nb::arg("jit"), nb::arg("fuel"), nb::arg("timeout"),
          nb::arg("max_memory"), nb::arg("max_stack"),
          nb::arg("max_idle_memory"), nb::arg("parameters"), nb::arg("text"),
          nb::arg("allow_loss"))
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
