// A context: modules linked together, their globals, and calls into them.
//
//   ASSIGN_OR_RETURN(auto context, Context::Create({hal, module}));
//   ASSIGN_OR_RETURN(Function add, context->Lookup("module.add"));
//   ASSIGN_OR_RETURN(std::vector<Value> sums, context->Call(add, {a, b}));
// Tested by context_test.cc.
#ifndef EYRIE_VM_RUN_CONTEXT_H_
#define EYRIE_VM_RUN_CONTEXT_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/alarm.h"
#include "base/deadline.h"
#include "base/memory_meter.h"
#include "base/work_budget.h"
#include "vm/isa/callconv.h"
#include "vm/isa/value.h"
#include "vm/limits/cancellation.h"
#include "vm/limits/limits.h"
#include "vm/limits/meter.h"
#include "vm/limits/stepper.h"
#include "vm/module/module.h"
#include "vm/module/module_def.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/compiled.h"
#include "vm/run/machine.h"
#include "vm/run/stack.h"

namespace eyrie::vm {

class Context;

// An exported function of a context. A small value, valid while the context is.
class Function {
 public:
  Function() = default;  // refers to nothing; only `=` may be used

  absl::string_view name() const { return export_->name; }
  std::string full_name() const;  // with the module's
  const CallingConvention& signature() const {
    return module().verified().signature(export_->function);
  }
  const std::vector<Attribute>& attributes() const {
    return module().def().functions[export_->function].attributes;
  }
  std::optional<absl::string_view> attribute(absl::string_view key) const {
    return FindAttribute(attributes(), key);
  }
  const BytecodeModule& module() const { return *state_->module; }

 private:
  friend class Context;
  friend class Invocation;

  const FunctionCode& code() const {
    return state_->module->function(export_->function);
  }

  const Context* context_ = nullptr;
  BytecodeState* state_ = nullptr;
  const ExportDef* export_ = nullptr;
};

struct ContextOptions {
  Limits limits;
  PrintSink print;  // receives what modules print and trace
  // Receives what __deinit of a module fails with, which nobody is returned.
  std::function<void(const absl::Status&)> lost;
  // Compiles functions to machine code; null: all are interpreted.
  std::shared_ptr<const Jit> jit;
  // Asked before each instruction of modules that are made for it; outlives
  // the context. May be null.
  Stepper* stepper = nullptr;
  // Of a context that works for another's calls, that one's Meter::work() and
  // memory(): they stand for all limits but that of the stack. May be null.
  // It runs no __deinit: there may be no call then to bound it.
  std::shared_ptr<WorkBudget> work;
  // Stands for limits.max_memory: counts what others hold for the context, too.
  std::shared_ptr<MemoryMeter> memory;
  // Cancels the context, also before Create has returned it. May be null.
  std::shared_ptr<Cancellation> cancellation;
};

// One thread's, at a time. Modules may be shared with other contexts.
//
// A call that passes a limit, or is cancelled, fails its context for good: the
// module may have stopped halfway through a change of its globals. Later calls
// are FAILED_PRECONDITION and name that failure; all that can be done is to
// free the context, which then runs no __deinit. Other contexts go on.
class Context {
 public:
  // Links modules, each to those before it, and runs their __init functions in
  // order. NOT_FOUND: a module or function that another requires is missing.
  // UNIMPLEMENTED: it is there with other signatures or in an older version.
  // INVALID_ARGUMENT: two modules have the same name. RESOURCE_EXHAUSTED: there
  // is no room for the stack, or no thread for a timeout. Else __init's error.
  static absl::StatusOr<std::unique_ptr<Context>> Create(
      std::vector<std::shared_ptr<const Module>> modules,
      const ContextOptions& options = {});

  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  // Runs __deinit of all modules, last first, each within the limits of a
  // call; their errors go to ContextOptions::lost. Of a failed context none is
  // run, nor of one that works for another.
  ~Context();

  const std::vector<std::shared_ptr<const Module>>& modules() const {
    return modules_;
  }

  // An exported function, as "module.function" or as "function", which is
  // sought in the last module first. NOT_FOUND: none has that name.
  absl::StatusOr<Function> Lookup(absl::string_view name) const;
  // Everything that a module of this context exports, in the order of
  // ModuleDef::exports. Empty for a native module, and if there is no memory.
  std::vector<Function> ExportsOf(const Module& module) const;

  // Calls a function; allocates nothing of its own. Slots are laid out by its
  // convention: arguments are borrowed, results owned by the caller, who finds
  // them unwritten after an error. A yield resumes at once. INVALID_ARGUMENT:
  // wrong counts; FAILED_PRECONDITION: the context has failed before;
  // RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED, CANCELLED: see Limits and Cancel;
  // else what the function fails with, followed by a backtrace.
  absl::Status Invoke(const Function& function, std::span<const Slot> args,
                      std::span<Slot> results);

  // The same with tagged values, whose types are checked.
  absl::StatusOr<std::vector<Value>> Call(const Function& function,
                                          std::span<const Value> args);

  // Ends the running call with CANCELLED at its next branch backwards, call or
  // wait, or the next call, and fails the context. Any thread's, while the
  // context lives; async-signal-safe.
  void Cancel() { meter_.Stop(Meter::Reason::kCancelled); }

  // Why the context has failed; OK if it has not.
  const absl::Status& failure() const { return failure_; }
  // What counts this context's memory; null if max_memory is not set.
  const std::shared_ptr<MemoryMeter>& memory() const { return memory_; }
  const Meter& meter() const { return meter_; }

  // INVALID_ARGUMENT unless the values are what the function takes.
  static absl::Status CheckArguments(const Function& function,
                                     std::span<const Value> args);

 private:
  friend class AsyncCall;
  friend class HostCall;
  friend class Invocation;

  explicit Context(const ContextOptions& options);

  // INVALID_ARGUMENT: other arguments than the function's, or of another
  // context.
  absl::Status CheckCall(const Function& function,
                         std::span<const Value> args) const;
  // Why Invoke refuses.
  [[gnu::cold, gnu::noinline]] absl::Status CheckInvoke(
      const Function& function, size_t arguments, size_t results) const;
  absl::Status Run(const Function& function, const Slot* args, Slot* results);
  absl::Status RunOn(Machine& machine);

  absl::Status AddModule(std::shared_ptr<const Module> module);
  absl::Status CheckDependencies(const BytecodeModule& module) const;
  absl::Status LinkImports(BytecodeState& state) const;
  absl::Status LinkImport(const ImportDef& import, const Module* provider,
                          ModuleState* provider_state,
                          ResolvedImport& resolved) const;
  const Module* FindModule(absl::string_view name,
                           ModuleState** state = nullptr) const;
  std::string LoadedModules() const;
  absl::Status RunIfExported(const BytecodeModule& module,
                             absl::string_view name);
  Function CreateFunction(const BytecodeModule& module, const ExportDef& def,
                          ModuleState* state) const;

  absl::StatusOr<std::unique_ptr<Stack>> TakeStack();
  void ReturnStack(std::unique_ptr<Stack> stack);

  const size_t max_stack_;
  const bool serves_;  // another context, and its calls alone
  const PrintSink print_;
  const std::function<void(const absl::Status&)> lost_;
  const std::shared_ptr<const Jit> jit_;
  Meter meter_;
  std::shared_ptr<MemoryMeter> memory_;
  const std::shared_ptr<NestedLists> nested_lists_ =
      std::make_shared<NestedLists>();
  absl::Status failure_;
  bool in_call_ = false;  // from the host
  // failure_ is of the present call alone, whose alarm cannot be set.
  bool is_unlimited_ = false;
  MemoryCharge globals_;  // of all modules
  std::unique_ptr<Stack> stack_;
  std::vector<std::unique_ptr<Stack>> spare_stacks_;  // of invocations
  std::vector<std::shared_ptr<const Module>> modules_;
  std::vector<std::unique_ptr<ModuleState>> states_;  // of modules_
  int depth_ = 0;  // of calls from native functions back into the context
  // Stops a call at its deadline, before all above ends; null: no timeout.
  std::unique_ptr<Alarm> alarm_;
  std::shared_ptr<Cancellation> cancellation_;  // may be null
};

// What limits see as one call from the host: all between its begin and end,
// such as a function and the wait for its results. One inside another, and
// every call from a native function, is part of the outermost.
//   HostCall call(context);
//   RETURN_IF_ERROR(call.status());
//   return call.End(DoIt());
// The context's thread's.
class HostCall {
 public:
  // With a budget of its own.
  explicit HostCall(Context& context);
  // Goes on with a budget, which End brings up to date: of a call that has
  // been suspended. The budget must outlive the HostCall.
  HostCall(Context& context, CallBudget& budget);
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;
  ~HostCall();

  // FAILED_PRECONDITION: the context has failed before this call.
  // RESOURCE_EXHAUSTED: in the child of a fork, nothing can limit its time.
  absl::Status status() const {
    if (context_.failure_.ok()) [[likely]]
      return absl::OkStatus();
    return WhyNot();
  }

  // Ends the call. Returns `status` or, where that is OK and the call was
  // stopped all the same, the reason. Fails the context if a limit was passed.
  absl::Status End(absl::Status status);

  // For a Stepper, of Meter::timed: time between the two is not the call's.
  void HoldClock();
  void ReleaseClock();

 private:
  void Begin(const CallBudget& budget);
  [[gnu::cold, gnu::noinline]] void SetAlarm(Deadline deadline);
  [[gnu::cold, gnu::noinline]] absl::Status WhyNot() const;
  // End of a call that has failed or was stopped.
  [[gnu::cold, gnu::noinline]] absl::Status EndStopped(absl::Status status,
                                                       int64_t fuel_left);

  Context& context_;
  CallBudget* budget_ = nullptr;  // to bring up to date
  bool outermost_ = false;
  uint64_t refusals_ = 0;  // of memory, at the begin
  bool timed_ = false;
  Deadline held_at_;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_CONTEXT_H_
