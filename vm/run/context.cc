#include "vm/run/context.h"

#include <array>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/allocate.h"
#include "base/counted.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "vm/module/lifecycle.h"
#include "vm/run/interpreter.h"

namespace eyrie::vm {
namespace {

// Native functions may call back into the context; each level uses some of the
// thread's stack.
constexpr int kMaxDepth = 100;

// Returns the bytes that a context allocates for a module.
uint64_t StateBytes(const ModuleDef& def) {
  return uint64_t{def.global_bytes} +
         uint64_t{def.global_refs} * sizeof(RefObject*) +
         def.imports.size() * sizeof(ResolvedImport) +
         def.rodata.size() * sizeof(Ref<Buffer>);
}

absl::Status OfAnotherContext(const Function& function) {
  return absl::InvalidArgumentError(
      absl::StrCat("Function ", PlainName(function.full_name()),
                   " belongs to another context."));
}

void DropResults(const Function& function, std::span<Slot> results) {
  const std::vector<ValueType>& types = function.signature().result_types();
  for (size_t i = 0; i < results.size(); ++i) {
    Value::Adopt(types[i], std::exchange(results[i], Slot()));
  }
}

absl::Status WrongCount(const Function& function, absl::string_view what,
                        size_t want, size_t got) {
  return absl::InvalidArgumentError(absl::StrCat(
      "Function ", PlainName(function.full_name()), " (",
      function.signature().ToString(), ") has ", Counted(want, what), "; ", got,
      got == 1 ? " was" : " were", " given."));
}

}  // namespace

std::string Function::full_name() const {
  return absl::StrCat(module().name(), ".", name());
}

HostCall::HostCall(Context& context) : context_(context) {
  if (!context.in_call_) Begin(context.meter_.NewBudget());
}

HostCall::HostCall(Context& context, CallBudget& budget) : context_(context) {
  if (context.in_call_) return;
  if (budget.deadline.HasPassed()) budget.deadline = Deadline::Passed();
  budget_ = &budget;
  Begin(budget);
}

void HostCall::Begin(const CallBudget& budget) {
  outermost_ = context_.in_call_ = true;
  context_.meter_.Exchange(budget);
  // Work that earlier calls queued may have exceeded the budget.
  const WorkBudget& work = *context_.meter_.context_work();
  if (work.refused() && context_.failure_.ok()) [[unlikely]]
    context_.failure_ = work.StopReason();
  if (context_.memory_) refusals_ = context_.memory_->refusals();
  if (!budget.deadline.IsNever()) [[unlikely]]
    BeginTimed(budget);
}

absl::Status HostCall::End(absl::Status status) {
  if (!outermost_) return status;
  outermost_ = context_.in_call_ = false;
  Meter& meter = context_.meter_;
  if (timed_) [[unlikely]]
    return EndTimed(std::move(status));
  const CallBudget left = meter.Leave();
  if (budget_ != nullptr) *budget_ = left;
  meter.Return(left);
  if (status.ok() && !meter.stopped() && !meter.work()->refused()) [[likely]]
    return status;
  return EndStopped(std::move(status), left.fuel + left.held);
}

Context::Context(const ContextOptions& options)
    : max_stack_(options.limits.max_stack),
      serves_(options.work != nullptr),
      print_(options.print),
      lost_(options.lost),
      jit_(options.jit),
      meter_(options.work ? Meter(options.limits, options.work)
                          : Meter(options.limits)),
      memory_(options.memory),
      cancellation_(options.cancellation) {
  if (jit_ != nullptr && !jit_->eager()) meter_.BeginTicks();
  if (memory_ == nullptr && options.limits.max_memory < Limits::kUnlimited) {
    memory_ = std::make_shared<MemoryMeter>(options.limits.max_memory);
  }
  meter_.stepper = options.stepper;
  if (memory_ != nullptr) globals_ = *MemoryCharge::Take(memory_, 0, "globals");
  if (cancellation_ != nullptr) cancellation_->Add(&meter_);
}

absl::StatusOr<std::unique_ptr<Context>> Context::Create(
    std::vector<std::shared_ptr<const Module>> modules,
    const ContextOptions& options) {
  std::unique_ptr<Context> context(new Context(options));
  ASSIGN_OR_RETURN(context->stack_, Stack::Create(context->max_stack_));
  if (context->meter_.has_timeout()) RETURN_IF_ERROR(context->CreateAlarm());
  std::optional<LimitedCall> initializer;
  if (options.initializer) {
    initializer.emplace(*options.initializer, LimitedCall::Kind::kInitializer);
  }
  const LimitScope scope(*context, initializer ? &*initializer : nullptr);
  for (std::shared_ptr<const Module>& module : modules) {
    RETURN_IF_ERROR(
        context->AddModule(std::move(module), options.run_initializers));
  }
  return context;
}

absl::Status Context::CreateAlarm() {
  if (alarm_ != nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(alarm_,
                   Alarm::Create([meter = &meter_] { meter->StopLate(); }));
  return absl::OkStatus();
}

Context::~Context() {
  for (size_t i = states_.size(); i-- > 0;) {
    const bool is_bytecode = modules_[i]->AsBytecode() != nullptr;
    if (is_bytecode && failure_.ok() && !serves_) {
      const absl::Status ended = RunIfExported(states_[i].get(), kDeinitExport);
      if (!ended.ok() && lost_) lost_(ended);
    }
  }
  while (!states_.empty()) states_.pop_back();
  nested_lists_->DropRings();
  if (cancellation_ != nullptr) cancellation_->Remove(&meter_);
}

absl::Status Context::AddModule(std::shared_ptr<const Module> module,
                                bool initialize) {
  const BytecodeModule* bytecode = module->AsBytecode();
  if (bytecode != nullptr) {
    RETURN_IF_ERROR(CheckDependencies(*bytecode));
    RETURN_IF_ERROR(
        globals_.Add(StateBytes(bytecode->def()), "a module's globals"));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<ModuleState> state, module->CreateState());
  state->memory_ = memory_;
  state->nested_lists_ = nested_lists_;
  state->meter_ = &meter_;
  if (bytecode != nullptr) {
    RETURN_IF_ERROR(LinkImports(static_cast<BytecodeState&>(*state)));
  }
  modules_.push_back(std::move(module));
  states_.push_back(std::move(state));
  if (bytecode == nullptr || !initialize) return absl::OkStatus();
  return RunIfExported(states_.back().get(), kInitExport);
}

std::vector<BytecodeState*> Context::StatesOfPrograms() const {
  std::vector<BytecodeState*> states;
  for (size_t i = 0; i < modules_.size(); ++i) {
    if (modules_[i]->AsBytecode() == nullptr) continue;
    states.push_back(static_cast<BytecodeState*>(states_[i].get()));
  }
  return states;
}

const Module* Context::FindModule(absl::string_view name,
                                  ModuleState** state) const {
  for (size_t i = modules_.size(); i-- > 0;) {
    if (modules_[i]->name() != name) continue;
    if (state != nullptr) *state = states_[i].get();
    return modules_[i].get();
  }
  return nullptr;
}

std::string Context::LoadedModules() const {
  if (modules_.empty()) return "none is loaded";
  std::string text = "loaded: ";
  return text + absl::StrJoin(modules_, ", ",
                              [](std::string* out, const auto& module) {
                                absl::StrAppend(out, PlainName(module->name()),
                                                " ", module->version());
                              });
}

absl::Status Context::CheckDependencies(const BytecodeModule& module) const {
  for (const DependencyDef& need : module.def().dependencies) {
    const Module* found = FindModule(need.name);
    if (found == nullptr) {
      if (need.optional) continue;
      return absl::NotFoundError(absl::StrCat(
          "Module ", PlainName(module.name()), " requires module ",
          PlainName(need.name), " version ", need.minimum_version,
          ", which is not loaded before it (", LoadedModules(), ")."));
    }
    if (!need.optional && found->version() < need.minimum_version) {
      return absl::UnimplementedError(
          absl::StrCat("Module ", PlainName(module.name()), " requires module ",
                       PlainName(need.name), " version ", need.minimum_version,
                       "; the loaded one has version ", found->version(), "."));
    }
  }
  return absl::OkStatus();
}

absl::Status Context::LinkImports(BytecodeState& state) const {
  const ModuleDef& def = state.module->def();
  for (uint32_t i = 0; i < def.imports.size(); ++i) {
    const ImportDef& import = def.imports[i];
    ResolvedImport& resolved = state.imports[i];
    resolved.signature = &state.module->verified().import_signature(i);
    ModuleState* provider_state = nullptr;
    const Module* provider = FindModule(import.module_name(), &provider_state);
    absl::Status status =
        LinkImport(import, provider, provider_state, resolved);
    if (status.ok() || (import.optional && absl::IsNotFound(status))) continue;
    return Annotate(status, absl::StrCat("(an import of module ",
                                         PlainName(def.name), ")"));
  }
  return absl::OkStatus();
}

absl::Status Context::LinkImport(const ImportDef& import,
                                 const Module* provider,
                                 ModuleState* provider_state,
                                 ResolvedImport& resolved) const {
  if (provider == nullptr) {
    return absl::NotFoundError(absl::StrCat(
        "Function ", PlainName(import.full_name), " is imported, but module ",
        PlainName(import.module_name()), " is not loaded (", LoadedModules(),
        ")."));
  }
  if (const BytecodeModule* bytecode = provider->AsBytecode()) {
    ASSIGN_OR_RETURN(const uint32_t ordinal,
                     bytecode->ResolveImport(import.local_name(),
                                             resolved.signature->ToString()));
    resolved.callee = &bytecode->function(ordinal);
    resolved.callee_state = static_cast<BytecodeState*>(provider_state);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(resolved.native,
                   provider->BindImport(*provider_state, import.local_name(),
                                        *resolved.signature));
  return absl::OkStatus();
}

Function Context::CreateFunction(const ExportDef& def,
                                 ModuleState* state) const {
  Function function;
  function.context_ = this;
  function.state_ = static_cast<BytecodeState*>(state);
  function.export_ = &def;
  return function;
}

absl::StatusOr<Function> Context::Lookup(absl::string_view name) const {
  for (size_t i = modules_.size(); i-- > 0;) {
    const BytecodeModule* module = modules_[i]->AsBytecode();
    if (module == nullptr) continue;
    const ExportDef* found = module->def().FindExport(name);
    absl::string_view local = name;
    if (found == nullptr && absl::ConsumePrefix(&local, module->name()) &&
        absl::ConsumePrefix(&local, ".")) {
      found = module->def().FindExport(local);
    }
    if (found != nullptr) return CreateFunction(*found, states_[i].get());
  }
  return absl::NotFoundError(
      absl::StrCat("No loaded module exports a function ", PlainName(name),
                   " (", LoadedModules(), ")."));
}

absl::StatusOr<Function> Context::LookupBeside(const Function& function,
                                               absl::string_view name) const {
  ASSIGN_OR_RETURN(const ExportDef* found,
                   function.state_->module->FindExport(name));
  return CreateFunction(*found, function.state_);
}

std::vector<Function> Context::ExportsOf(const Module& module) const {
  std::vector<Function> functions;
  const BytecodeModule* bytecode = module.AsBytecode();
  size_t place = modules_.size();
  while (place > 0 && modules_[place - 1].get() != &module) --place;
  if (bytecode == nullptr || place == 0) return functions;
  const std::vector<ExportDef>& exports = bytecode->def().exports;
  if (!Reserve(functions, exports.size(), "functions").ok()) return functions;
  for (const ExportDef& def : exports) {
    functions.push_back(CreateFunction(def, states_[place - 1].get()));
  }
  return functions;
}

absl::Status Context::RunIfExported(ModuleState* state,
                                    absl::string_view name) {
  const BytecodeModule& module = *static_cast<BytecodeState*>(state)->module;
  const ExportDef* found = module.def().FindExport(name);
  if (found == nullptr) return absl::OkStatus();
  return Invoke(CreateFunction(*found, state), {}, {});
}

absl::Status Context::CheckInvoke(const Function& function, size_t arguments,
                                  size_t results) const {
  const FunctionCode& code = function.code();
  if (arguments != code.argument_count) {
    return WrongCount(function, "argument", code.argument_count, arguments);
  }
  if (results != code.result_count) {
    return WrongCount(function, "result", code.result_count, results);
  }
  if (function.context_ != this) return OfAnotherContext(function);
  return absl::ResourceExhaustedError(
      absl::StrCat("Calls from native functions back into the context exceed ",
                   kMaxDepth, " levels."));
}

// Flattened, since every call takes this path.
[[gnu::flatten]] absl::Status Context::Invoke(const Function& function,
                                              std::span<const Slot> args,
                                              std::span<Slot> results) {
  const FunctionCode& code = function.code();
  if (args.size() != code.argument_count ||
      results.size() != code.result_count || function.context_ != this ||
      depth_ == kMaxDepth) [[unlikely]] {
    return CheckInvoke(function, args.size(), results.size());
  }
  HostCall call(*this);
  RETURN_IF_ERROR(call.status());
  absl::Status status = Run(function, args.data(), results.data());
  const bool returned = status.ok();
  status = call.End(std::move(status));
  if (returned && !status.ok()) [[unlikely]] {
    DropResults(function, results);
  }
  return status;
}

absl::Status Context::Run(const Function& function, const Slot* args,
                          Slot* results) {
  Machine machine(*stack_, meter_, &print_, jit_.get());
  RETURN_IF_ERROR(
      machine.EnterFromHost(function.code(), *function.state_, args, results));
  ++depth_;
  // The native function that calls back may itself be one that can suspend.
  const bool yieldable = meter_.suspension.set_yieldable(false);
  absl::Status status = RunOn(machine);
  while (status.ok() && machine.outcome == Outcome::kYielded) {
    std::this_thread::yield();
    status = RunOn(machine);
  }
  meter_.suspension.set_yieldable(yieldable);
  --depth_;
  return status;
}

// Runs to the next yield or the end. A resumption costs fuel, like a call.
absl::Status Context::RunOn(Machine& machine) {
  if (!meter_.Charge()) [[unlikely]]
    return machine.TakeStop();
  if (meter_.CountCall()) [[unlikely]]
    machine.EnterHot();
  if (machine.traced()) [[unlikely]]
    machine.TraceEntries();
  const Machine* const outer = std::exchange(meter_.running, &machine);
  const Outcome outcome = vm::Run(machine);
  meter_.running = outer;
  if (machine.traced()) [[unlikely]]
    machine.TraceExits();
  if (outcome == Outcome::kFailed) [[unlikely]]
    return machine.TakeError();
  return absl::OkStatus();
}

absl::Status Context::CheckArguments(const Function& function,
                                     std::span<const Value> args) {
  const std::vector<ValueType>& want = function.signature().argument_types();
  if (args.size() != want.size()) {
    return WrongCount(function, "argument", want.size(), args.size());
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].type() == want[i]) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "Argument ", i, " of function ", PlainName(function.full_name()), " (",
        function.signature().ToString(), ") is ", NameOf(args[i].type()), "; ",
        NameOf(want[i]), " is required."));
  }
  return absl::OkStatus();
}

absl::Status Context::CheckCall(const Function& function,
                                std::span<const Value> args) const {
  RETURN_IF_ERROR(CheckArguments(function, args));
  if (function.context_ == this) return absl::OkStatus();
  return OfAnotherContext(function);
}

absl::StatusOr<std::vector<Value>> Context::Call(const Function& function,
                                                 std::span<const Value> args) {
  RETURN_IF_ERROR(CheckArguments(function, args));
  const std::vector<ValueType>& types = function.signature().result_types();
  std::vector<Slot> slots(args.size() + types.size());
  for (size_t i = 0; i < args.size(); ++i) slots[i] = args[i].slot();
  const std::span<Slot> results = std::span<Slot>(slots).subspan(args.size());
  RETURN_IF_ERROR(Invoke(
      function, std::span<const Slot>(slots).first(args.size()), results));
  std::vector<Value> values;
  values.reserve(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    values.push_back(Value::Adopt(types[i], results[i]));
  }
  return values;
}

absl::StatusOr<std::unique_ptr<Stack>> Context::TakeStack() {
  if (spare_stacks_.empty()) return Stack::Create(max_stack_);
  std::unique_ptr<Stack> stack = std::move(spare_stacks_.back());
  spare_stacks_.pop_back();
  return stack;
}

void Context::ReturnStack(std::unique_ptr<Stack> stack) {
  spare_stacks_.push_back(std::move(stack));
}

}  // namespace eyrie::vm
