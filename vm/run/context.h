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
#include "vm/limits/call_limits.h"
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

// An exported function of a context. Cheap to copy; valid while the context
// exists.
class Function {
 public:
  Function() = default;  // refers to nothing; may only be assigned to

  absl::string_view name() const { return export_->name; }
  std::string full_name() const;  // "module.function"
  uint32_t ordinal() const { return export_->function; }
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
  // Replace the limits of fuel and time for __init functions, which share them.
  // An initializer that exceeds them fails the context.
  std::optional<CallLimits> initializer;
  // If false, no __init function runs. The caller must then set the globals of
  // StatesOfPrograms, or call Fail.
  bool run_initializers = true;
  PrintSink print;  // receives what modules print and trace
  // Receives the errors of modules' __deinit functions, which have no caller to
  // return them to. May be empty.
  std::function<void(const absl::Status&)> lost;
  // Compiles functions to machine code. If null, all functions are interpreted.
  std::shared_ptr<const Jit> jit;
  // Called before each instruction of modules that were created with `pauses`.
  // Must outlive the context. May be null.
  Stepper* stepper = nullptr;
  // For a context that works on behalf of another context's calls: the other
  // one's Meter::work(), which replaces the limits of fuel and time. Pass its
  // memory() as `memory`. May be null. If set, no __deinit is run, since there
  // may be no call then whose limits could bound it.
  std::shared_ptr<WorkBudget> work;
  // Replaces limits.max_memory; also counts what others allocate for the
  // context. May be null.
  std::shared_ptr<MemoryMeter> memory;
  // Cancels the context; may do so before Create returns. May be null.
  std::shared_ptr<Cancellation> cancellation;
};

// Thread-compatible: one thread at a time may use it, except for Cancel().
// Modules may be shared with other contexts.
//
// A call that exceeds a limit or is cancelled fails its context permanently,
// because the module may have stopped halfway through an update of its globals.
// (A LimitScope adds limits that fail only the call.)
// Later calls return FAILED_PRECONDITION with a message that names the first
// failure. A failed context can only be destroyed, and runs no __deinit then.
// Other contexts are not affected.
class Context {
 public:
  // Links the modules, each to those before it in the list, and runs their
  // __init functions in this order. Of several modules with the same name, the
  // last one before the importing module provides its imports. Returns
  //   NOT_FOUND if a required module or function is missing;
  //   UNIMPLEMENTED if it has another signature or too old a version;
  //   RESOURCE_EXHAUSTED if there is no memory for the stack or the globals,
  //   or no thread for the timeout;
  // or the error of an __init function.
  static absl::StatusOr<std::unique_ptr<Context>> Create(
      std::vector<std::shared_ptr<const Module>> modules,
      const ContextOptions& options = {});

  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  // Runs __deinit of all modules in reverse order, each within the limits of
  // one call, and passes their errors to ContextOptions::lost. Runs none if the
  // context has failed or works for another context.
  ~Context();

  const std::vector<std::shared_ptr<const Module>>& modules() const {
    return modules_;
  }

  // Returns the states of the bytecode modules, in the order of modules(). The
  // caller may change globals while no call runs.
  std::vector<BytecodeState*> StatesOfPrograms() const;

  // Returns the exported function "module.function" or "function". A name
  // without a module is looked up in the last module first, as is a name whose
  // module is loaded several times. Returns NOT_FOUND if no bytecode module
  // exports it.
  absl::StatusOr<Function> Lookup(absl::string_view name) const;
  // Returns the function that the same loaded module exports as `name`.
  // NOT_FOUND: there is none.
  absl::StatusOr<Function> LookupBeside(const Function& function,
                                        absl::string_view name) const;
  // Returns all functions that a module of this context exports, in the order
  // of ModuleDef::exports. If the context has the same object several times,
  // they are those of the last. Returns none for a native module, or if there
  // is not enough memory.
  std::vector<Function> ExportsOf(const Module& module) const;

  // Calls a function. Allocates nothing itself. `args` and `results` are in the
  // order of the function's calling convention. Arguments are borrowed; the
  // caller owns the results, and has none to release if the call fails. If the
  // function yields, it is resumed at once. Returns
  //   INVALID_ARGUMENT if the number of arguments or results is wrong;
  //   FAILED_PRECONDITION if the context has failed before;
  //   RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED or CANCELLED, see Limits and
  //   Cancel;
  // or the error of the function, followed by a backtrace.
  absl::Status Invoke(const Function& function, std::span<const Slot> args,
                      std::span<Slot> results);

  // Checks the types of the arguments, and then calls the function as Invoke
  // does.
  absl::StatusOr<std::vector<Value>> Call(const Function& function,
                                          std::span<const Value> args);

  // Ends the running call with CANCELLED at its next backward branch, call or
  // wait, and fails the context. If no call is running, the next one fails. May
  // be called by any thread while the context exists; async-signal-safe.
  void Cancel() { meter_.Stop(Meter::Reason::kCancelled); }

  // Gives limits to the calls that begin while it exists, in addition to those
  // of the context. They are counted over all these calls together. A call that
  // exceeds one of them, but none of the context's, does not fail the context.
  //   Context::LimitScope scope(*context, &limited);
  //   RETURN_IF_ERROR(scope.status());
  class LimitScope {
   public:
    // `call` must outlive the scope. If it is null, the scope does nothing.
    LimitScope(Context& context, LimitedCall* call);
    LimitScope(const LimitScope&) = delete;
    LimitScope& operator=(const LimitScope&) = delete;
    ~LimitScope();

    // FAILED_PRECONDITION: a call of the context is running, so that calls are
    // part of it and cannot have limits of their own.
    absl::Status status() const;

   private:
    Context* context_ = nullptr;  // null if it does nothing
    bool is_inside_ = false;
    LimitedCall* before_ = nullptr;
  };

  // Returns the fuel that the last call used.
  uint64_t FuelUsed() const { return meter_.FuelUsed(); }
  // For a context that was created with ContextOptions::work: calls take their
  // fuel from `payer`, which must outlive them. Null means the option's value.
  void TakeFuelFrom(WorkBudget* payer) { meter_.TakeFuelFrom(payer); }

  // Reports whether a call from the host is running.
  bool in_call() const { return in_call_; }
  // The set for lists of this context that contain lists.
  const std::shared_ptr<NestedLists>& nested_lists() const {
    return nested_lists_;
  }

  // Fails the context permanently, as exceeding a limit does.
  void Fail(absl::Status status) {
    if (failure_.ok()) failure_ = std::move(status);
  }
  // Returns why the context has failed, or OK if it has not.
  const absl::Status& failure() const { return failure_; }
  // Counts this context's memory; null if no limit is set.
  const std::shared_ptr<MemoryMeter>& memory() const { return memory_; }
  const Meter& meter() const { return meter_; }

  // Returns INVALID_ARGUMENT unless the number and types of the values match
  // the function's arguments.
  static absl::Status CheckArguments(const Function& function,
                                     std::span<const Value> args);

 private:
  friend class AsyncCall;
  friend class HostCall;
  friend class Invocation;

  explicit Context(const ContextOptions& options);

  // Returns INVALID_ARGUMENT if the arguments do not match, or if the function
  // belongs to another context.
  absl::Status CheckCall(const Function& function,
                         std::span<const Value> args) const;
  // Returns the error for arguments that Invoke refuses.
  [[gnu::cold, gnu::noinline]] absl::Status CheckInvoke(
      const Function& function, size_t arguments, size_t results) const;
  absl::Status Run(const Function& function, const Slot* args, Slot* results);
  absl::Status RunOn(Machine& machine);

  // Creates alarm_ if it does not exist. RESOURCE_EXHAUSTED: no thread.
  absl::Status CreateAlarm();
  // Runs the module's __init if `initialize`.
  absl::Status AddModule(std::shared_ptr<const Module> module, bool initialize);
  absl::Status CheckDependencies(const BytecodeModule& module) const;
  absl::Status LinkImports(BytecodeState& state) const;
  absl::Status LinkImport(const ImportDef& import, const Module* provider,
                          ModuleState* provider_state,
                          ResolvedImport& resolved) const;
  // Returns the last module of this name, or null.
  const Module* FindModule(absl::string_view name,
                           ModuleState** state = nullptr) const;
  std::string LoadedModules() const;
  // These take the state of a bytecode module.
  absl::Status RunIfExported(ModuleState* state, absl::string_view name);
  Function CreateFunction(const ExportDef& def, ModuleState* state) const;

  absl::StatusOr<std::unique_ptr<Stack>> TakeStack();
  void ReturnStack(std::unique_ptr<Stack> stack);

  const size_t max_stack_;
  // Works for another context, and only during that one's calls.
  const bool serves_;
  const PrintSink print_;
  const std::function<void(const absl::Status&)> lost_;
  const std::shared_ptr<const Jit> jit_;
  Meter meter_;
  std::shared_ptr<MemoryMeter> memory_;
  const std::shared_ptr<NestedLists> nested_lists_ =
      std::make_shared<NestedLists>();
  absl::Status failure_;
  // A call from the host is running.
  bool in_call_ = false;
  // failure_ applies to the current call alone: its alarm could not be set.
  bool is_unlimited_ = false;
  MemoryCharge globals_;  // of all modules
  std::unique_ptr<Stack> stack_;
  std::vector<std::unique_ptr<Stack>> spare_stacks_;  // for invocations
  std::vector<std::shared_ptr<const Module>> modules_;
  std::vector<std::unique_ptr<ModuleState>> states_;  // of modules_
  // How many calls from native functions back into the context are active.
  int depth_ = 0;
  // Stops a call at its deadline. Destroyed before the members above. Null if
  // no call has had a deadline.
  std::unique_ptr<Alarm> alarm_;
  std::shared_ptr<Cancellation> cancellation_;  // may be null
};

// One call from the host, as limits count it: everything between construction
// and End, for example a function and the wait for its results. A HostCall
// inside another, and each call from a native function, counts as part of the
// outermost one.
//   HostCall call(context);
//   RETURN_IF_ERROR(call.status());
//   return call.End(DoIt());
// Must be used on the context's thread.
class HostCall {
 public:
  // Starts with a full budget.
  explicit HostCall(Context& context);
  // Continues with the budget of a suspended call; End updates it. The budget
  // must outlive the HostCall.
  HostCall(Context& context, CallBudget& budget);
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;
  ~HostCall();

  // Returns FAILED_PRECONDITION if the context failed before this call, and
  // RESOURCE_EXHAUSTED if no timer can limit its time, as in the child of a
  // fork.
  absl::Status status() const {
    if (context_.failure_.ok()) [[likely]]
      return absl::OkStatus();
    return WhyNot();
  }

  // Ends the call. Returns `status`; if that is OK although the call was
  // stopped, returns the reason. Fails the context if a limit was exceeded.
  absl::Status End(absl::Status status);

  // For a Stepper, which finds the call in Meter::timed: the time between the
  // two does not count towards the call's timeout.
  void HoldClock();
  void ReleaseClock();

 private:
  void Begin(const CallBudget& budget);
  // Applies a deadline and the limits of a LimitedCall.
  [[gnu::cold, gnu::noinline]] void BeginTimed(const CallBudget& budget);
  [[gnu::cold, gnu::noinline]] absl::Status EndTimed(absl::Status status);
  void SetAlarm(Deadline deadline);
  [[gnu::cold, gnu::noinline]] absl::Status WhyNot() const;
  // Ends a call that has failed or was stopped.
  [[gnu::cold, gnu::noinline]] absl::Status EndStopped(absl::Status status,
                                                       int64_t fuel_left);

  Context& context_;
  CallBudget* budget_ = nullptr;  // updated by End; may be null
  bool outermost_ = false;
  // How many allocations the memory limit had refused when the call began.
  uint64_t refusals_ = 0;
  bool timed_ = false;
  Deadline held_at_;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_CONTEXT_H_
