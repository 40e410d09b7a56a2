// Loads modules, and calls their functions in turn.
#include "core.h"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <set>
#include <span>
#include <string_view>

#include "text.h"

namespace eyrie::python {
namespace {

// The interval at which a waiting thread checks for cancellation and signals.
constexpr std::chrono::milliseconds kLook{20};

Error Cancelled() { return Error(EYRIE_CANCELLED, "The call is cancelled."); }

// The keyword argument of calls that gives arrays for results.
constexpr std::string_view kOut = "out";

// Converts an argument. Messages of errors begin with its index and name.
Value Converted(nb::handle object, const std::vector<Parameter>& parameters,
                size_t index) {
  const bool is_known = index < parameters.size();
  try {
    return FromPython(object,
                      is_known ? parameters[index].kind : EYRIE_KIND_ANY);
  } catch (nb::python_error& error) {
    std::string where = "Argument " + std::to_string(index);
    if (is_known && !parameters[index].name.empty()) {
      where += " ('" + parameters[index].name + "')";
    }
    const nb::handle value = error.value();
    if (nb::hasattr(value, "code")) {  // an eyrie.Error
      RaiseArgument(where + ": " + nb::cast<std::string>(nb::str(value)));
    }
    if (nb::hasattr(value, "add_note")) value.attr("add_note")(where + ".");
    throw;
  }
}

Error Closed() {
  return Error(EYRIE_FAILED_PRECONDITION, "The model is closed.");
}

// Returns the bytes of a module, or null if the source is a path.
std::span<const std::byte> BytesOf(nb::handle source) {
  if (!PyBytes_Check(source.ptr())) return {};
  return std::as_bytes(
      std::span(PyBytes_AsString(source.ptr()),
                static_cast<size_t>(PyBytes_Size(source.ptr()))));
}

std::vector<Parameter> Describe(
    const std::vector<eyrie_argument_info_t>& from) {
  std::vector<Parameter> list;
  for (const eyrie_argument_info_t& row : from) {
    // An array of unknown element type can be anything.
    const bool is_known =
        row.kind != EYRIE_KIND_ARRAY || row.dtype != EYRIE_DTYPE_NONE;
    const bool is_number =
        row.kind != EYRIE_KIND_ARRAY && row.dtype != EYRIE_DTYPE_NONE;
    std::optional<std::vector<int64_t>> shape;
    if (is_number) shape.emplace();
    if (row.rank >= 0) shape.emplace(row.shape, row.shape + row.rank);
    list.push_back({row.name, row.type, row.is_keyword != 0,
                    row.storage_of >= 0, is_known ? row.kind : EYRIE_KIND_ANY,
                    row.dtype, std::move(shape)});
  }
  return list;
}

// Returns the names that calls may use, those of the last module first and
// without a module. Of modules with one name, a later one hides functions of
// those before it.
template <typename Info>
std::vector<std::string> QualifiedNames(const std::vector<Module>& modules,
                                        std::vector<Info> (Module::*list)()
                                            const) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (size_t i = modules.size(); i-- > 0;) {
    const std::string prefix = modules[i].name() + ".";
    const bool is_last = i + 1 == modules.size();
    for (const Info& info : (modules[i].*list)()) {
      if (!known.insert(prefix + info.name).second) continue;
      names.push_back((is_last ? "" : prefix) + info.name);
    }
  }
  return names;
}

// Calls `run`, which returns a Result<void>, without the GIL. Raises its error,
// or the exception of a log handler, also if `run` succeeds.
template <typename F>
void Create(F run) {
  CallScope scope;
  const Result<void> created = [&] {
    const WithoutGil release;
    return run();
  }();
  if (scope.failed()) scope.ThrowCause();
  if (!created) Raise(created.error());
}

}  // namespace

uint64_t Core::epoch = 1;

// Makes this thread the owner of a core's turn.
class Core::Ownership {
 public:
  explicit Ownership(Core& core) : core_(core) {
    core_.owner_ = std::this_thread::get_id();
  }
  Ownership(const Ownership&) = delete;
  Ownership& operator=(const Ownership&) = delete;
  ~Ownership() { core_.owner_ = std::thread::id(); }

 private:
  Core& core_;
};

// The call of a ticket, which Cancel can end.
class Core::Running {
 public:
  Running(Core& core, const Ticket& ticket)
      : core_(core), began_(core.SetRunning(&ticket)) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    if (began_) core_.SetRunning(nullptr);
  }

  // False if the call was cancelled before.
  explicit operator bool() const { return began_; }

 private:
  Core& core_;
  const bool began_;
};

void Core::RefuseOwnCall() const {
  if (owner_ != std::this_thread::get_id()) return;
  Raise(Error(EYRIE_FAILED_PRECONDITION,
              "A log handler or an imported function must not call the model "
              "that calls it."));
}

template <typename F>
void Core::InTurn(const Ticket& ticket, F run, bool even_if_closed) {
  RefuseOwnCall();
  CallScope scope;
  const Result<void> result = [&]() -> Result<void> {
    const WithoutGil release;
    std::unique_lock<std::timed_mutex> turn(turn_, std::try_to_lock);
    while (!turn && !turn.try_lock_for(kLook)) {
      if (ticket.cancelled) return Cancelled();
      scope.LookForSignals();
    }
    if (context_ == nullptr && !even_if_closed) return Closed();
    const Ownership owner(*this);
    return run(scope);
  }();
  if (result && !scope.failed()) return;
  scope.ThrowCause();
  Raise(result.error());
}

Core::Core(std::vector<nb::object> sources, std::vector<Device> devices,
           Options options)
    : options_(std::move(options)),
      devices_(std::make_shared<std::vector<Device>>(std::move(devices))) {
  std::vector<std::span<const std::byte>> bytes;
  std::vector<std::string> paths;
  for (const nb::object& source : sources) {
    bytes.push_back(BytesOf(source));
    paths.push_back(bytes.back().data() == nullptr ? PathOf(source, kModulePath)
                                                   : "");
  }
  linker_ = NewLinker(options_.imports);
  Create([&]() -> Result<void> {
    std::vector<Module> modules;
    for (size_t i = 0; i < paths.size(); ++i) {
      auto module =
          paths[i].empty() ? Module::Load(bytes[i]) : Module::Load(paths[i]);
      if (!module) return module.error();
      modules.push_back(std::move(*module));
    }
    modules_ = std::make_shared<std::vector<Module>>(std::move(modules));
    return Renew();
  });
}

Core::Core(const Core& other, const Snapshot* snapshot)
    : options_(other.options_),
      modules_(other.modules_),
      devices_(other.devices_),
      linker_(other.linker_) {
  if (modules_ == nullptr) Raise(Closed());
  Create([&] { return Renew(snapshot); });
}

Core::~Core() {
  const WithoutGil release;
  context_.reset();
  modules_.reset();
  devices_.reset();
}

void Core::Close() {
  std::unique_ptr<Context> context;
  const auto take = [&](CallScope&) -> Result<void> {
    context = std::move(context_);
    return {};
  };
  InTurn(Ticket(), take, /*even_if_closed=*/true);
  // Calls that waited for their turn no longer use these.
  auto modules = std::move(modules_);
  auto devices = std::move(devices_);
  const WithoutGil release;
  context.reset();
  modules.reset();
  devices.reset();
}

std::vector<std::string> Core::Names() const {
  if (modules_ == nullptr) Raise(Closed());
  return QualifiedNames(*modules_, &Module::functions);
}

std::string Core::Name() const {
  if (modules_ == nullptr) Raise(Closed());
  return modules_->back().name();
}

std::vector<std::string> Core::Globals() const {
  if (modules_ == nullptr) Raise(Closed());
  return QualifiedNames(*modules_, &Module::globals);
}

template <typename F>
void Core::UseContext(F use) {
  const Ticket ticket;
  InTurn(ticket, [&](CallScope& scope) -> Result<void> {
    if (context_->failed()) {
      if (auto renewed = Renew(); !renewed) return renewed;
    }
    const CallScope::Within within(scope, *context_);
    return use(*context_);
  });
}

nb::object Core::GetGlobal(const std::string& name) {
  Value value;
  UseContext([&](Context& context) -> Result<void> {
    auto got = context.GetGlobal(name);
    if (!got) return got.error();
    value = std::move(*got);
    return {};
  });
  return ToPython(std::move(value), {options_.text, options_.on_device});
}

void Core::SetGlobal(const std::string& name, nb::handle object) {
  Value value = FromPython(object);
  if (options_.allow_loss) value.AllowLoss();
  UseContext([&](Context& context) { return context.SetGlobal(name, value); });
}

std::unique_ptr<Snapshot> Core::TakeSnapshot() {
  std::unique_ptr<Snapshot> snapshot;
  UseContext([&](Context& context) -> Result<void> {
    auto taken = context.TakeSnapshot();
    if (!taken) return taken.error();
    snapshot = std::make_unique<Snapshot>(std::move(*taken));
    return {};
  });
  return snapshot;
}

void Core::Restore(const Snapshot& snapshot) {
  UseContext([&](Context& context) { return context.Restore(snapshot); });
}

void Core::Describe(Bound& bound, const Function& function) {
  const eyrie_signature_t signature = function.signature();
  bound.text = signature.text;
  bound.source = signature.source;
  bound.doc = signature.doc;
  bound.arguments = python::Describe(function.arguments());
  bound.results = python::Describe(function.results());
  for (const Parameter& parameter : bound.arguments) {
    bound.takes_out |= parameter.is_keyword && parameter.name == kOut;
  }
}

Bound& Core::Bind(const std::string& name) {
  const auto found = functions_.find(name);
  if (found != functions_.end()) return *found->second;
  auto bound = std::make_unique<Bound>();
  bound->name = name;
  const Ticket ticket;
  InTurn(ticket, [&](CallScope&) -> Result<void> {
    if (auto done = Find(*bound); !done) return done;
    Describe(*bound, Function(bound->handle));
    return {};
  });
  // Another thread may have done the same meanwhile.
  return *functions_.emplace(name, std::move(bound)).first->second;
}

Result<void> Core::Find(Bound& bound) {
  if (bound.generation == generation_) [[likely]]
    return {};
  auto found = context_->Find(bound.name);
  if (!found) return found.error();
  bound.handle = found->get();
  bound.generation = generation_;
  return {};
}

void Core::SetOuts(Bound::Scratch& scratch, nb::handle out) {
  if (out.is_none()) return;
  const nb::tuple row = PyTuple_Check(out.ptr()) ? nb::borrow<nb::tuple>(out)
                                                 : nb::make_tuple(out);
  for (const nb::handle item : row) {
    scratch.outs.push_back(FromPython(item));
    scratch.out_objects.push_back(nb::borrow(item));
  }
}

std::unique_ptr<Bound::Scratch> Core::Convert(Bound& bound,
                                              const CallChoices& choices,
                                              const Given& given) {
  auto scratch = std::move(bound.scratch);
  if (scratch == nullptr) scratch = std::make_unique<Bound::Scratch>();
  const size_t named = given.names ? PyTuple_Size(given.names) : 0;
  scratch->slots.resize(given.count + named);
  scratch->made.reserve(given.count + named);
  scratch->given.clear();
  scratch->names.clear();
  scratch->results.resize(bound.results.size());
  const std::vector<Parameter>& parameters = bound.arguments;
  const auto add = [&](nb::handle object, size_t index) {
    Value* value = &scratch->slots[scratch->given.size()];
    if (!SetFromPython(object, *value)) {
      value = &scratch->made.emplace_back(Converted(object, parameters, index));
    }
    if (choices.allow_loss) value->AllowLoss();
    scratch->given.push_back(value->get());
  };
  for (size_t i = 0; i < given.count; ++i) add(given.values[i], i);
  for (size_t i = 0; i < named; ++i) {
    const nb::handle object = given.values[given.count + i];
    const char* const name = NameOf(PyTuple_GetItem(given.names, i));
    if (!bound.takes_out && name == kOut) {
      SetOuts(*scratch, object);
      continue;
    }
    size_t index = 0;
    while (index < parameters.size() && parameters[index].name != name) ++index;
    scratch->names.push_back(name);
    add(object, index);
  }
  return scratch;
}

nb::object Core::Call(Bound& bound, const CallChoices& choices, Ticket& ticket,
                      const Given& given) {
  std::unique_ptr<Bound::Scratch> scratch = Convert(bound, choices, given);
  CallOptions limits = choices.limits;
  if (ticket.token) limits.cancel = &*ticket.token;
  InTurn(ticket, [&](CallScope& scope) {
    return Run(bound, limits, ticket, scope, *scratch);
  });
  scratch->made.clear();
  nb::object results = Take(*scratch, choices.results);
  scratch->outs.clear();
  scratch->out_objects.clear();
  bound.scratch = std::move(scratch);
  return results;
}

nb::object Core::Take(Bound::Scratch& scratch, const ResultChoice& choice) {
  const auto take = [&](size_t i) {
    Value value = Value::Adopt(std::exchange(scratch.results[i], nullptr));
    if (i < scratch.out_objects.size() && !scratch.out_objects[i].is_none()) {
      return scratch.out_objects[i];
    }
    return ToPython(std::move(value), choice);
  };
  const size_t count = scratch.results.size();
  if (count == 0) return nb::none();
  if (count == 1) return take(0);
  nb::list list;
  for (size_t i = 0; i < count; ++i) list.append(take(i));
  return nb::tuple(list);
}

Result<void> Core::Run(Bound& bound, const CallOptions& limits, Ticket& ticket,
                       CallScope& scope, Bound::Scratch& scratch) {
  if (context_->failed()) {
    if (auto renewed = Renew(); !renewed) return renewed;
  }
  if (auto found = Find(bound); !found) return found;
  std::vector<eyrie_value_t*> outs;
  for (const Value& out : scratch.outs) outs.push_back(out.get());
  const Running running(*this, ticket);
  if (!running) return Cancelled();
  const CallScope::Within within(scope, *context_);
  if (eyrie_error_t* error = MakeCall(bound, limits, outs, scratch)) {
    return Error(error);
  }
  return {};
}

eyrie_error_t* Core::MakeCall(const Bound& bound, const CallOptions& limits,
                              const std::vector<eyrie_value_t*>& outs,
                              Bound::Scratch& scratch) {
  const eyrie_call_args_t args = {sizeof(args),         scratch.given.data(),
                                  scratch.given.size(), scratch.names.data(),
                                  scratch.names.size(), outs.data(),
                                  outs.size()};
  return eyrie_function_call(bound.handle, &args,
                             internal::GivenOptions(limits).get(),
                             scratch.results.data(), scratch.results.size());
}

nb::tuple Core::Statistics(Bound& bound) {
  const Ticket ticket;
  eyrie_call_statistics_t last = {};
  InTurn(ticket, [&](CallScope&) -> Result<void> {
    if (auto found = Find(bound); !found) return found;
    last = Function(bound.handle).statistics();
    return {};
  });
  return nb::make_tuple(last.lent, last.copied, last.packed, last.converted);
}

void Core::Cancel(Ticket& ticket) {
  ticket.cancelled = true;
  if (ticket.token) ticket.token->Cancel();
}

bool Core::CancelRunning() {
  const std::lock_guard<std::mutex> lock(running_mutex_);
  if (running_ == nullptr) return false;
  context_->Cancel();
  return true;
}

bool Core::SetRunning(const Ticket* ticket) {
  const std::lock_guard<std::mutex> lock(running_mutex_);
  if (ticket != nullptr && ticket->cancelled) return false;
  running_ = ticket;
  return true;
}

std::chrono::nanoseconds Timeout(double seconds) {
  // More than about 290 years do not fit in 64 bits of nanoseconds.
  if (!(seconds > 0 && seconds < 9e9)) return std::chrono::nanoseconds(0);
  return std::chrono::nanoseconds(
      static_cast<int64_t>(std::ceil(seconds * 1e9)));
}

Result<void> Core::Renew(const Snapshot* snapshot) {
  ContextOptions options;
  options.fuel = options_.fuel;
  options.timeout = Timeout(options_.timeout);
  options.max_memory = options_.max_memory;
  options.max_stack = options_.max_stack;
  options.parameter_files = options_.parameters;
  options.parameters = &options_.weights->set();
  options.linker = linker_.get();
  for (const auto& library : options_.libraries) {
    options.native_libraries.push_back(library.get());
  }
  options.snapshot = snapshot;
  std::vector<const Device*> devices;
  for (const Device& device : *devices_) devices.push_back(&device);
  std::vector<const Module*> modules;
  for (const Module& module : *modules_) modules.push_back(&module);
  auto made = Context::Create(devices, modules, options);
  if (!made) return made.error();
  context_ = std::make_unique<Context>(std::move(*made));
  ++generation_;
  return {};
}

}  // namespace eyrie::python
