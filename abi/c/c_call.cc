// Calls in pieces of the C API.
//
// Tested by runtime_pending_test.cc.
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "abi/c/c_handles.h"
#include "abi/c/c_options.h"
#include "abi/call/pending_call.h"
#include "abi/call/result_memory.h"
#include "absl/status/status.h"
#include "base/status_macros.h"
#include "eyrie/c.h"
#include "eyrie/c_limits.h"
#include "vm/limits/call_limits.h"

struct eyrie_call_t {
  eyrie_function_t* function;
  std::unique_ptr<eyrie::abi::PendingCall> call;
  std::optional<eyrie::abi::ResultMemory> memory;  // of the host, for results
};

namespace eyrie::abi {
namespace {

absl::Status Begin(eyrie_function_t& function,
                   std::span<eyrie_value_t* const> arguments,
                   std::span<const char* const> names,
                   const eyrie_call_options_t* options, eyrie_wake_t wake,
                   void* user, eyrie_call_t** out_call) {
  ASSIGN_OR_RETURN(CallSetup setup, CallSetupOf(options));
  GivenArguments given;
  RETURN_IF_ERROR(given.Set(arguments, names));
  ASSIGN_OR_RETURN(
      std::unique_ptr<PendingCall> call,
      PendingCall::Begin(
          *function.session, function.invoker, given.values(), given.names(),
          [wake, user] { wake(user); }, std::move(setup.limited)));
  *out_call = new eyrie_call_t{&function, std::move(call), std::nullopt};
  if (setup.memory != nullptr) {
    (*out_call)->memory.emplace(std::move(setup.memory),
                                function.session->context().memory());
  }
  return absl::OkStatus();
}

absl::Status Results(eyrie_call_t& call, std::span<eyrie_value_t*> results) {
  RETURN_IF_ERROR(CheckRoom(*call.function, results.size()));
  RETURN_IF_ERROR(call.call->TakeResults(call.function->results));
  if (call.memory) {
    RETURN_IF_ERROR(
        call.function->invoker.Move({}, *call.memory, call.function->results));
  }
  HandOut(*call.function, results);
  return absl::OkStatus();
}

}  // namespace
}  // namespace eyrie::abi

namespace abi = eyrie::abi;

eyrie_error_t* eyrie_function_begin(eyrie_function_t* function,
                                    eyrie_value_t* const* arguments,
                                    size_t argument_count,
                                    const char* const* names, size_t name_count,
                                    eyrie_wake_t wake, void* user,
                                    eyrie_call_t** out_call) {
  return eyrie_function_begin_with(function, arguments, argument_count, names,
                                   name_count, nullptr, wake, user, out_call);
}

eyrie_error_t* eyrie_function_begin_with(
    eyrie_function_t* function, eyrie_value_t* const* arguments,
    size_t argument_count, const char* const* names, size_t name_count,
    const eyrie_call_options_t* options, eyrie_wake_t wake, void* user,
    eyrie_call_t** out_call) {
  return abi::CreateError(abi::Begin(*function, {arguments, argument_count},
                                     {names, name_count}, options, wake, user,
                                     out_call));
}

int eyrie_call_run(eyrie_call_t* call) { return call->call->Run() ? 1 : 0; }

eyrie_error_t* eyrie_call_results(eyrie_call_t* call, eyrie_value_t** results,
                                  size_t result_capacity) {
  return abi::CreateError(abi::Results(*call, {results, result_capacity}));
}

void eyrie_call_free(eyrie_call_t* call) { delete call; }
