// Options of calls, allocators, cancel tokens and usage of the C API.
//
// Tested by call_options_test.cc.
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

absl::Status ReadCallOptions(const eyrie_call_options_t& given,
                             CallSetup& setup) {
  constexpr size_t kSizes[] = {sizeof(eyrie_call_options_t)};
  ASSIGN_OR_RETURN(const eyrie_call_options_t options,
                   FullStruct(&given, kSizes, "the call options"));
  setup.wait = options.wait;
  setup.signal = options.signal;
  RETURN_IF_ERROR(CheckNewer(&given, "the call options"));
  if (options.allocator != nullptr) setup.memory = options.allocator->memory;
  if (options.timeout_ns < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The call's timeout (", options.timeout_ns, " ns) is below 0."));
  }
  if (options.fuel == 0 && options.timeout_ns == 0 &&
      options.cancel == nullptr) {
    return absl::OkStatus();
  }
  vm::CallLimits limits;
  if (options.fuel != 0) limits.fuel = options.fuel;
  if (options.timeout_ns != 0) {
    limits.timeout = absl::Nanoseconds(options.timeout_ns);
  }
  if (options.cancel != nullptr) limits.cancel = options.cancel->token;
  setup.limited = std::make_shared<vm::LimitedCall>(std::move(limits));
  return absl::OkStatus();
}

}  // namespace eyrie::abi

namespace abi = eyrie::abi;

eyrie_allocator_t* eyrie_allocator_create(eyrie_allocate_t allocate,
                                          eyrie_deallocate_t deallocate,
                                          void* user,
                                          void (*free_user)(void* user)) {
  auto* const allocator = new eyrie_allocator_t();
  allocator->memory =
      abi::NewHostMemory(allocate, deallocate, abi::ShareData(user, free_user));
  return allocator;
}

void eyrie_allocator_retain(eyrie_allocator_t* allocator) {
  abi::Retain(allocator);
}

void eyrie_allocator_release(eyrie_allocator_t* allocator) {
  abi::Release(allocator);
}

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

eyrie_error_t* eyrie_context_usage(const eyrie_context_t* context,
                                   eyrie_context_usage_t* usage) {
  return abi::CreateError(abi::FillUsage(*context, *usage));
}
