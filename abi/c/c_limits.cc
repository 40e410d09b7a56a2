// Limits of single calls, cancel tokens and usage of the C API.
//
// Tested by call_options_test.cc.
#include "eyrie/c_limits.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "abi/c/c_handles.h"
#include "abi/c/c_options.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/memory_meter.h"
#include "base/status_macros.h"
#include "eyrie/c.h"
#include "vm/limits/call_limits.h"
#include "vm/limits/cancel_token.h"
#include "vm/run/context.h"

struct eyrie_cancel_token_t {
  std::atomic<uint32_t> references{1};
  const std::shared_ptr<eyrie::vm::CancelToken> token =
      std::make_shared<eyrie::vm::CancelToken>();
};

namespace eyrie::abi {
namespace {

// Runs `call(memory)`, which returns an error or NULL, within the limits of
// options. `memory` is that of the host for results; null if there is none.
template <typename F>
eyrie_error_t* CallWith(eyrie_function_t& function,
                        const eyrie_call_options_t* options, F call) {
  auto setup = CallSetupOf(options);
  if (!setup.ok()) return CreateError(setup.status());
  const vm::Context::LimitScope scope(function.session->context(),
                                      setup->limited.get());
  if (!scope.status().ok()) return CreateError(scope.status());
  if (setup->memory == nullptr) return call(nullptr);
  const ResultMemory memory(std::move(setup->memory),
                            function.session->context().memory());
  return call(&memory);
}

absl::Status FillUsage(const eyrie_context_t& context,
                       eyrie_context_usage_t& usage) {
  constexpr size_t kSizes[] = {sizeof(eyrie_context_usage_t)};
  ASSIGN_OR_RETURN(eyrie_context_usage_t filled,
                   FullStruct(&usage, kSizes, "the usage"));
  const vm::Context& own = context.session->context();
  filled.fuel = own.FuelUsed();
  const std::shared_ptr<MemoryMeter>& memory = own.memory();
  filled.memory = memory != nullptr ? memory->in_use() : 0;
  filled.peak_memory = memory != nullptr ? memory->peak() : 0;
  usage = filled;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CallSetup> CallSetupOf(const eyrie_call_options_t* given) {
  constexpr size_t kSizes[] = {offsetof(eyrie_call_options_t, allocate),
                               sizeof(eyrie_call_options_t)};
  ASSIGN_OR_RETURN(const eyrie_call_options_t options,
                   FullStruct(given, kSizes, "the call options"));
  CallSetup setup;
  ASSIGN_OR_RETURN(setup.memory, AllocatorOf(options, "call"));
  RETURN_IF_ERROR(CheckNewer(given, "the call options"));
  if (options.timeout_ns < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The call's timeout (", options.timeout_ns, " ns) is below 0."));
  }
  if (options.fuel == 0 && options.timeout_ns == 0 &&
      options.cancel == nullptr) {
    return setup;
  }
  vm::CallLimits limits;
  if (options.fuel != 0) limits.fuel = options.fuel;
  if (options.timeout_ns != 0) {
    limits.timeout = absl::Nanoseconds(options.timeout_ns);
  }
  if (options.cancel != nullptr) limits.cancel = options.cancel->token;
  setup.limited = std::make_shared<vm::LimitedCall>(std::move(limits));
  return setup;
}

}  // namespace eyrie::abi

namespace abi = eyrie::abi;

eyrie_cancel_token_t* eyrie_cancel_token_create(void) {
  return new eyrie_cancel_token_t();
}

void eyrie_cancel_token_retain(eyrie_cancel_token_t* token) {
  abi::Retain(token);
}

void eyrie_cancel_token_release(eyrie_cancel_token_t* token) {
  abi::Release(token);
}

void eyrie_cancel_token_cancel(eyrie_cancel_token_t* token) {
  token->token->Cancel();
}

int eyrie_cancel_token_is_cancelled(const eyrie_cancel_token_t* token) {
  return token->token->is_cancelled() ? 1 : 0;
}

eyrie_error_t* eyrie_function_call_with(
    eyrie_function_t* function, eyrie_value_t* const* arguments,
    size_t argument_count, const char* const* names, size_t name_count,
    const eyrie_call_options_t* options, eyrie_value_t** results,
    size_t result_capacity) {
  return abi::CallWith(
      *function, options, [&](const abi::ResultMemory* memory) {
        if (memory == nullptr) {
          return eyrie_function_call_named(function, arguments, argument_count,
                                           names, name_count, results,
                                           result_capacity);
        }
        return abi::CreateError(abi::CallOut(
            *function, {arguments, argument_count}, {names, name_count}, {},
            memory, {results, result_capacity}));
      });
}

eyrie_error_t* eyrie_function_call_out_with(
    eyrie_function_t* function, eyrie_value_t* const* arguments,
    size_t argument_count, const char* const* names, size_t name_count,
    eyrie_value_t* const* outs, size_t out_count,
    const eyrie_call_options_t* options, eyrie_value_t** results,
    size_t result_capacity) {
  return abi::CallWith(
      *function, options, [&](const abi::ResultMemory* memory) {
        return abi::CreateError(abi::CallOut(
            *function, {arguments, argument_count}, {names, name_count},
            {outs, out_count}, memory, {results, result_capacity}));
      });
}

eyrie_error_t* eyrie_prepared_call_with(eyrie_prepared_t* prepared,
                                        const eyrie_call_options_t* options,
                                        eyrie_value_t** results,
                                        size_t result_capacity) {
  return abi::CallWith(
      abi::FunctionOf(*prepared), options,
      [&](const abi::ResultMemory* memory) {
        if (memory == nullptr) {
          return eyrie_prepared_call(prepared, results, result_capacity);
        }
        return abi::CreateError(
            abi::CallPrepared(*prepared, memory, {results, result_capacity}));
      });
}

eyrie_error_t* eyrie_context_usage(const eyrie_context_t* context,
                                   eyrie_context_usage_t* usage) {
  return abi::CreateError(abi::FillUsage(*context, *usage));
}
