// Calls of the C API: once, prepared, and in pieces.
//
// Tested by call_test.cc, runtime_call_test.cc, runtime_out_test.cc,
// runtime_fence_test.cc, runtime_pending_test.cc, call_options_test.cc.
#include "eyrie/c_call.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "abi/c/c_handles.h"
#include "abi/c/c_options.h"
#include "abi/call/invoker.h"
#include "abi/call/pending_call.h"
#include "abi/call/prepared_call.h"
#include "abi/call/result_memory.h"
#include "abi/signature/named_function.h"
#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/allocate.h"
#include "base/counted.h"
#include "base/short_row.h"
#include "base/status_macros.h"
#include "hal/fence.h"
#include "vm/limits/call_limits.h"
#include "vm/run/context.h"

namespace eyrie::abi {

// Arrays of the caller for results, which a call keeps.
struct KeptOuts {
  absl::Status Set(std::span<const HostValue* const> given);

  std::vector<HostValue> arrays;
  std::vector<const HostValue*> addresses;  // null: no array for this result
};

namespace {

constexpr absl::string_view kOuts = "arrays for results";

// The maximum number of results whose addresses are kept on the stack.
constexpr size_t kFewResults = 16;

absl::Status NoOut(size_t index) {
  return absl::ResourceExhaustedError(
      absl::StrCat("There was no memory for the array of result ", index, "."));
}

// The arguments of a call. Borrows the values and the names.
class GivenArgs {
 public:
  // `given` may be null. INVALID_ARGUMENT: there are more names than values, or
  // the struct is of a newer header. RESOURCE_EXHAUSTED: a value is of
  // EYRIE_KIND_NO_MEMORY, or an allocation fails.
  absl::Status Set(const eyrie_call_args_t* given);

  Invoker::Request request() const {
    return {.values = values_, .names = names_, .outs = outs_};
  }

 private:
  static constexpr size_t kFew = 16;

  [[gnu::cold]] static absl::Status NoValue(size_t index);
  [[gnu::cold]] static absl::Status ReadOther(const eyrie_call_args_t* given,
                                              eyrie_call_args_t& args);

  const HostValue* few_[kFew];  // not initialized
  ShortRow<const HostValue*, 1> many_;
  std::span<const HostValue* const> values_;
  ShortRow<absl::string_view, 16> names_;
  ShortRow<const HostValue*, 16> outs_;
};

absl::Status GivenArgs::NoValue(size_t index) {
  return absl::ResourceExhaustedError(
      absl::StrCat("There was no memory for the value of argument ", index,
                   ", counted from 0."));
}

absl::Status GivenArgs::ReadOther(const eyrie_call_args_t* given,
                                  eyrie_call_args_t& args) {
  constexpr size_t kSizes[] = {sizeof(eyrie_call_args_t)};
  constexpr absl::string_view kWhat = "the call's arguments";
  ASSIGN_OR_RETURN(args, FullStruct(given, kSizes, kWhat));
  return CheckNewer(given, kWhat);
}

absl::Status GivenArgs::Set(const eyrie_call_args_t* given) {
  if (given == nullptr) return absl::OkStatus();
  eyrie_call_args_t other;
  if (given->struct_size != sizeof(*given)) [[unlikely]] {
    RETURN_IF_ERROR(ReadOther(given, other));
    given = &other;
  }
  const size_t count = given->value_count;
  if (given->name_count > count) {
    return absl::InvalidArgumentError(
        absl::StrCat(Counted(given->name_count, "name"),
                     given->name_count == 1 ? " is" : " are", " given for ",
                     Counted(count, "argument"), "."));
  }
  const HostValue** values = few_;
  if (count > kFew) {
    RETURN_IF_ERROR(many_.Resize(count, "arguments"));
    values = many_.data();
  }
  values_ = {values, count};
  for (size_t i = 0; i < count; ++i) {
    const eyrie_value_t* const value = given->values[i];
    if (value == NoMemoryHandle()) return NoValue(i);
    values[i] = &FromHandle(value);
  }
  if ((given->name_count | given->out_count) == 0) [[likely]]
    return absl::OkStatus();
  RETURN_IF_ERROR(names_.Resize(given->name_count, "names of arguments"));
  for (size_t i = 0; i < given->name_count; ++i) names_[i] = given->names[i];
  RETURN_IF_ERROR(outs_.Resize(given->out_count, kOuts));
  for (size_t i = 0; i < given->out_count; ++i) {
    eyrie_value_t* const out = given->outs[i];
    if (out == NoMemoryHandle()) return NoOut(i);
    outs_[i] = out == nullptr ? nullptr : FromHandle(out);
  }
  return absl::OkStatus();
}

[[gnu::cold]] absl::Status NoRoom(const eyrie_function_t& function,
                                  size_t room) {
  return absl::InvalidArgumentError(
      absl::StrCat(NamedFunction(function.invoker.signature().function()),
                   " has ", Counted(function.returned.size(), "result"),
                   " and there is room for ", room, "."));
}

// INVALID_ARGUMENT: the function has more than `room` results.
absl::Status CheckRoom(const eyrie_function_t& function, size_t room) {
  if (function.returned.size() <= room) [[likely]]
    return absl::OkStatus();
  return NoRoom(function, room);
}

// Moves results to the caller's values. Creates a value for each entry that is
// NULL or NoMemoryHandle().
void HandOut(std::span<HostValue> made, std::span<eyrie_value_t*> results) {
  for (size_t i = 0; i < made.size(); ++i) {
    if (results[i] == nullptr || results[i] == NoMemoryHandle()) {
      results[i] = NewHandle(std::move(made[i]));
    } else {
      *FromHandle(results[i]) = std::move(made[i]);
    }
  }
}

// Stores the addresses of the values that the results replace. Returns false if
// there are more than kFewResults, or if a value must be created.
bool AllExist(const eyrie_function_t& function,
              std::span<eyrie_value_t* const> results, HostValue** targets) {
  const size_t count = function.returned.size();
  if (count > kFewResults) return false;
  for (size_t i = 0; i < count; ++i) {
    eyrie_value_t* const result = results[i];
    if (result == nullptr || result == NoMemoryHandle()) return false;
    targets[i] = FromHandle(result);
  }
  return true;
}

}  // namespace

absl::Status KeptOuts::Set(std::span<const HostValue* const> given) {
  RETURN_IF_ERROR(Resize(addresses, given.size(), kOuts));
  RETURN_IF_ERROR(Reserve(arrays, given.size(), kOuts));
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] == nullptr) continue;
    ASSIGN_OR_RETURN(HostValue array, given[i]->Copy());
    arrays.push_back(std::move(array));
    addresses[i] = &arrays.back();
  }
  return absl::OkStatus();
}

}  // namespace eyrie::abi

struct eyrie_prepared_call_t {
  eyrie::abi::Retained<eyrie_context_t> context;  // released last
  eyrie_function_t& function;
  eyrie::abi::PreparedCall call;
  eyrie::abi::KeptOuts outs;

  eyrie::abi::Invoker::Request request() {
    return {.prepared = &call, .outs = outs.addresses};
  }
};

struct eyrie_pending_call_t {
  eyrie_pending_call_t(eyrie_function_t& of, eyrie_wake_t on_wake, void* data)
      : context(of.context), function(of), wake(on_wake), user(data) {}
  ~eyrie_pending_call_t() {
    call = nullptr;
    Signal(absl::CancelledError("The call was freed before it was over."))
        .IgnoreError();
  }

  // Signals or fails the fence of the call, if there is one; once.
  absl::Status Signal(absl::Status result);
  // Takes the results of a call that is over.
  absl::Status Finish();

  eyrie::abi::Retained<eyrie_context_t> context;  // released last
  eyrie_function_t& function;
  const eyrie_wake_t wake;
  void* const user;
  // Until the first poll begins, the host knows that the call is ready.
  std::atomic<bool> is_polled{false};
  eyrie::abi::KeptOuts outs;
  std::optional<eyrie::abi::ResultMemory> memory;  // of the host, for results
  eyrie::abi::Retained<eyrie_fence_t> signal;
  std::shared_ptr<HostSignal> own_signal;  // which polls give
  bool is_over = false;
  bool is_taken = false;
  absl::Status status;  // if it is over
  std::vector<eyrie::abi::HostValue> results;
  std::unique_ptr<eyrie::abi::PendingCall> call;
};

absl::Status eyrie_pending_call_t::Signal(absl::Status result) {
  const eyrie::abi::Retained<eyrie_fence_t> fence = std::move(signal);
  if (!fence) return result;
  if (result.ok()) result = fence->fence->Signal();
  if (!result.ok()) fence->fence->Fail(result);
  own_signal->is_given = true;
  return result;
}

absl::Status eyrie_pending_call_t::Finish() {
  RETURN_IF_ERROR(call->TakeResults(results));
  return function.invoker.PlaceResults(outs.addresses,
                                       memory ? &*memory : nullptr, results);
}

namespace eyrie::abi {
namespace {

// Calls a function on this thread, whatever happens to its results. Then
// signals a fence, if there is one.
[[gnu::noinline]] absl::Status CallOnce(eyrie_function_t& function,
                                        const Invoker::Request& request,
                                        std::span<eyrie_value_t*> results,
                                        hal::Fence* signal) {
  RETURN_IF_ERROR(function.invoker.Call(request, function.results));
  if (signal != nullptr) RETURN_IF_ERROR(signal->Signal());
  HandOut(function.results, results);
  return absl::OkStatus();
}

// INVALID_ARGUMENT, FAILED_PRECONDITION: the call would wait for itself, or
// perhaps without end. `waits_here`: on this thread.
absl::Status CheckFences(const eyrie_function_t& function,
                         const CallSetup& setup, bool waits_here) {
  if (setup.wait == nullptr) return absl::OkStatus();
  if (setup.signal != nullptr && setup.wait->fence == setup.signal->fence) {
    return absl::InvalidArgumentError(
        "The fence to wait for is also the one to signal.");
  }
  const vm::CallLimits* const own =
      setup.limited != nullptr ? &setup.limited->limits() : nullptr;
  const bool ends =
      function.session->context().meter().has_timeout() ||
      (own != nullptr &&
       (own->cancel != nullptr || own->timeout != absl::InfiniteDuration()));
  if (!waits_here || ends || AwaitedBy(*setup.wait) == nullptr) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      NamedFunction(function.invoker.signature().function()),
      " would wait on this thread for a fence that waits for a signal of the "
      "host, and neither the context nor the call has a timeout. Signal the "
      "fence or wait for it before."));
}

// Makes a call with options.
absl::Status CallWithin(eyrie_function_t& function, const CallSetup& setup,
                        Invoker::Request request,
                        std::span<eyrie_value_t*> results) {
  Invoker& invoker = function.invoker;
  const bool starts = setup.signal != nullptr && request.outs.empty() &&
                      setup.memory == nullptr && invoker.callable().is_async();
  RETURN_IF_ERROR(
      CheckFences(function, setup, !starts || invoker.start_may_wait()));
  vm::Context& context = function.session->context();
  const vm::Context::LimitScope scope(context, setup.limited.get());
  RETURN_IF_ERROR(scope.status());
  hal::Fence* const wait =
      setup.wait != nullptr ? setup.wait->fence.get() : nullptr;
  hal::Fence* const signal =
      setup.signal != nullptr ? setup.signal->fence.get() : nullptr;
  if (signal != nullptr) {
    SetAwaited(setup.wait != nullptr ? AwaitedBy(*setup.wait) : nullptr,
               *setup.signal);
  }
  if (starts) {
    RETURN_IF_ERROR(invoker.Start(request, wait, *signal, function.results));
    HandOut(function.results, results);
    return absl::OkStatus();
  }
  if (wait != nullptr) RETURN_IF_ERROR(invoker.WaitFor(*wait));
  if (setup.memory == nullptr) {
    return CallOnce(function, request, results, signal);
  }
  const ResultMemory memory(setup.memory, context.memory());
  request.memory = &memory;
  return CallOnce(function, request, results, signal);
}

// Reads the options and calls `call(setup)`. If that fails, so does the fence.
template <typename F>
absl::Status WithOptions(const eyrie_call_options_t& options, F call) {
  CallSetup setup;
  absl::Status status = ReadCallOptions(options, setup);
  if (status.ok()) status = call(setup);
  if (!status.ok() && setup.signal != nullptr) {
    setup.signal->fence->Fail(status);
  }
  return status;
}

// Calls without options. Inlined, because a small call takes 100 ns.
[[gnu::always_inline]] inline absl::Status CallNow(
    eyrie_function_t& function, const Invoker::Request& request,
    std::span<eyrie_value_t*> results) {
  HostValue* targets[kFewResults];
  if (!AllExist(function, results, targets)) [[unlikely]] {
    return CallOnce(function, request, results, nullptr);
  }
  return function.invoker.Call(request, {targets, function.returned.size()},
                               function.results);
}

absl::Status Call(eyrie_function_t& function, const eyrie_call_args_t* args,
                  std::span<eyrie_value_t*> results) {
  RETURN_IF_ERROR(CheckRoom(function, results.size()));
  GivenArgs given;
  RETURN_IF_ERROR(given.Set(args));
  return CallNow(function, given.request(), results);
}

absl::Status Call(eyrie_function_t& function, const eyrie_call_args_t* args,
                  const eyrie_call_options_t& options,
                  std::span<eyrie_value_t*> results) {
  return WithOptions(options, [&](const CallSetup& setup) -> absl::Status {
    RETURN_IF_ERROR(CheckRoom(function, results.size()));
    GivenArgs given;
    RETURN_IF_ERROR(given.Set(args));
    return CallWithin(function, setup, given.request(), results);
  });
}

absl::Status Prepare(eyrie_function_t& function, const eyrie_call_args_t* args,
                     eyrie_prepared_call_t** out_prepared) {
  GivenArgs given;
  RETURN_IF_ERROR(given.Set(args));
  KeptOuts outs;
  Invoker::Request request = given.request();
  RETURN_IF_ERROR(outs.Set(request.outs));
  request.outs = outs.addresses;
  ASSIGN_OR_RETURN(PreparedCall call, function.invoker.Prepare(request));
  *out_prepared =
      new eyrie_prepared_call_t{Retained<eyrie_context_t>(function.context),
                                function, std::move(call), std::move(outs)};
  return absl::OkStatus();
}

absl::Status Run(eyrie_prepared_call_t& prepared,
                 std::span<eyrie_value_t*> results) {
  RETURN_IF_ERROR(CheckRoom(prepared.function, results.size()));
  return CallNow(prepared.function, prepared.request(), results);
}

absl::Status Run(eyrie_prepared_call_t& prepared,
                 const eyrie_call_options_t& options,
                 std::span<eyrie_value_t*> results) {
  return WithOptions(options, [&](const CallSetup& setup) -> absl::Status {
    RETURN_IF_ERROR(CheckRoom(prepared.function, results.size()));
    return CallWithin(prepared.function, setup, prepared.request(), results);
  });
}

absl::Status Begin(eyrie_function_t& function, const eyrie_call_args_t* args,
                   CallSetup setup, eyrie_wake_t wake, void* user,
                   eyrie_pending_call_t** out_call) {
  RETURN_IF_ERROR(CheckFences(function, setup, false));
  GivenArgs given;
  RETURN_IF_ERROR(given.Set(args));
  auto call = std::make_unique<eyrie_pending_call_t>(function, wake, user);
  Invoker::Request request = given.request();
  RETURN_IF_ERROR(call->outs.Set(request.outs));
  request.outs = call->outs.addresses;
  PendingCall::Options options = {.limited = std::move(setup.limited)};
  if (setup.wait != nullptr) options.wait = setup.wait->fence;
  ASSIGN_OR_RETURN(call->call, PendingCall::Begin(
                                   *function.session, function.invoker, request,
                                   [to = call.get()] {
                                     if (to->is_polled) to->wake(to->user);
                                   },
                                   std::move(options)));
  if (setup.memory != nullptr) {
    call->memory.emplace(std::move(setup.memory),
                         function.session->context().memory());
  }
  if (setup.signal != nullptr) {
    call->own_signal = std::make_shared<HostSignal>();
    call->signal = Retained<eyrie_fence_t>(setup.signal);
    SetAwaited(call->own_signal, *setup.signal);
  }
  *out_call = call.release();
  return absl::OkStatus();
}

// Returns whether the call is over.
bool Poll(eyrie_pending_call_t& call) {
  call.is_polled = true;
  if (call.is_over) return true;
  if (!call.call->Run()) return false;
  call.status = call.Signal(call.Finish());
  call.is_over = true;
  return true;
}

absl::Status TakeResults(eyrie_pending_call_t& call,
                         std::span<eyrie_value_t*> results) {
  RETURN_IF_ERROR(CheckRoom(call.function, results.size()));
  if (!call.is_over) {
    return absl::FailedPreconditionError("The call has not finished.");
  }
  if (std::exchange(call.is_taken, true)) {
    return absl::FailedPreconditionError(
        "The call's results were taken before.");
  }
  RETURN_IF_ERROR(call.status);
  HandOut(call.results, results);
  return absl::OkStatus();
}

}  // namespace
}  // namespace eyrie::abi

namespace abi = eyrie::abi;

eyrie_error_t* eyrie_function_call(eyrie_function_t* function,
                                   const eyrie_call_args_t* args,
                                   const eyrie_call_options_t* options,
                                   eyrie_value_t** results,
                                   size_t result_capacity) {
  const std::span<eyrie_value_t*> places(results, result_capacity);
  return abi::CreateError(options == nullptr
                              ? abi::Call(*function, args, places)
                              : abi::Call(*function, args, *options, places));
}

eyrie_error_t* eyrie_function_prepare(eyrie_function_t* function,
                                      const eyrie_call_args_t* args,
                                      eyrie_prepared_call_t** out_prepared) {
  return abi::CreateError(abi::Prepare(*function, args, out_prepared));
}

eyrie_error_t* eyrie_prepared_call_run(eyrie_prepared_call_t* prepared,
                                       const eyrie_call_options_t* options,
                                       eyrie_value_t** results,
                                       size_t result_capacity) {
  const std::span<eyrie_value_t*> places(results, result_capacity);
  return abi::CreateError(options == nullptr
                              ? abi::Run(*prepared, places)
                              : abi::Run(*prepared, *options, places));
}

void eyrie_prepared_call_free(eyrie_prepared_call_t* prepared) {
  delete prepared;
}

eyrie_error_t* eyrie_function_begin(eyrie_function_t* function,
                                    const eyrie_call_args_t* args,
                                    const eyrie_call_options_t* options,
                                    eyrie_wake_t wake, void* user,
                                    eyrie_pending_call_t** out_call) {
  const auto begin = [&](abi::CallSetup setup) {
    return abi::Begin(*function, args, std::move(setup), wake, user, out_call);
  };
  return abi::CreateError(options == nullptr
                              ? begin(abi::CallSetup())
                              : abi::WithOptions(*options, begin));
}

int eyrie_pending_call_poll(eyrie_pending_call_t* call) {
  return abi::Poll(*call) ? 1 : 0;
}

eyrie_error_t* eyrie_pending_call_results(eyrie_pending_call_t* call,
                                          eyrie_value_t** results,
                                          size_t result_capacity) {
  return abi::CreateError(abi::TakeResults(*call, {results, result_capacity}));
}

void eyrie_pending_call_free(eyrie_pending_call_t* call) { delete call; }
