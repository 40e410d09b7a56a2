// Fences of the C API, and calls that use them.
//
// Tested by runtime_fence_test.cc.
#include "eyrie/c_fence.h"

#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "abi/c/c_handles.h"
#include "abi/signature/named_function.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/allocate.h"
#include "base/deadline.h"
#include "base/ref.h"
#include "base/status_macros.h"
#include "hal/fence.h"
#include "hal/forked_device.h"

namespace eyrie::abi {
namespace {

// The maximum size of a message. If a status cannot allocate its message, the
// process ends; that is accepted only for allocations below kSmallBytes.
constexpr size_t kMaxMessage = kSmallBytes / 2;

absl::Status Create(eyrie_device_t& device, eyrie_fence_t** out_fence) {
  RETURN_IF_ERROR(hal::CheckProcess(*device.device));
  ASSIGN_OR_RETURN(Ref<hal::Fence> fence, device.device->CreateFence());
  eyrie_fence_t* const made = NewFence(std::move(fence));
  made->awaited = made->own_signal = std::make_shared<HostSignal>();
  *out_fence = made;
  return absl::OkStatus();
}

// Must be called after the host has signalled or failed the fence.
void GiveSignal(const eyrie_fence_t& fence) {
  if (fence.own_signal != nullptr) fence.own_signal->is_given = true;
}

// Returns the signal of the host without which the fence is not reached; null
// if there is none.
std::shared_ptr<HostSignal> AwaitedBy(eyrie_fence_t* fence) {
  if (fence == nullptr) return nullptr;
  const std::lock_guard<std::mutex> lock(fence->mutex);
  if (fence->awaited == nullptr || fence->awaited->is_given) return nullptr;
  return fence->awaited;
}

// A function that is not asynchronous runs on this thread after the wait. If
// this thread is also to give the signal, it would wait without end.
absl::Status CheckWait(const eyrie_function_t& function, eyrie_fence_t* wait) {
  const Callable& callable = function.invoker.callable();
  if (wait == nullptr || (callable.is_async() && callable.raw() == nullptr) ||
      function.session->context().meter().has_timeout() ||
      AwaitedBy(wait) == nullptr) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      NamedFunction(function.invoker.signature().function()),
      " is not asynchronous, so it would run on this thread after the wait; "
      "but the fence waits for a signal of the host, and the context has no "
      "timeout. Signal the fence or wait for it before."));
}

absl::Status Wait(const eyrie_fence_t& fence, int64_t timeout_ns) {
  return fence.fence->Wait(
      timeout_ns < 0 ? Deadline::Never()
                     : Deadline::After(absl::Nanoseconds(timeout_ns)));
}

// From now on, a call signals `signal` after `wait` is reached.
void SignalledAfter(eyrie_fence_t* wait, eyrie_fence_t& signal) {
  std::shared_ptr<HostSignal> awaited = AwaitedBy(wait);
  const std::lock_guard<std::mutex> lock(signal.mutex);
  signal.awaited = std::move(awaited);
}

absl::Status Start(eyrie_function_t& function,
                   std::span<eyrie_value_t* const> arguments,
                   std::span<const char* const> names, eyrie_fence_t* wait,
                   eyrie_fence_t& signal, std::span<eyrie_value_t*> results) {
  GivenArguments given;
  absl::Status status = given.Set(arguments, names);
  if (status.ok()) status = CheckRoom(function, results.size());
  if (status.ok() && wait != nullptr && wait->fence == signal.fence) {
    status = absl::InvalidArgumentError(
        "The fence to wait for is also the one to signal.");
  }
  if (status.ok()) status = CheckWait(function, wait);
  if (!status.ok()) {
    signal.fence->Fail(status);
    return status;
  }
  SignalledAfter(wait, signal);
  RETURN_IF_ERROR(function.invoker.Start(given.values(), given.names(),
                                         wait ? wait->fence.get() : nullptr,
                                         *signal.fence, function.results));
  HandOut(function, results);
  return absl::OkStatus();
}

}  // namespace

eyrie_fence_t* NewFence(Ref<hal::Fence> fence) {
  if (!fence) return nullptr;
  auto* const made = new eyrie_fence_t();
  for (const hal::Fence::Point& point : fence->points()) {
    made->semaphores.push_back(point.semaphore);
  }
  made->fence = std::move(fence);
  return made;
}

}  // namespace eyrie::abi

namespace abi = eyrie::abi;

eyrie_error_t* eyrie_fence_create(eyrie_device_t* device,
                                  eyrie_fence_t** out_fence) {
  return abi::CreateError(abi::Create(*device, out_fence));
}

void eyrie_fence_retain(eyrie_fence_t* fence) { abi::Retain(fence); }
void eyrie_fence_release(eyrie_fence_t* fence) { abi::Release(fence); }

eyrie_error_t* eyrie_fence_signal(eyrie_fence_t* fence) {
  const absl::Status signalled = fence->fence->Signal();
  abi::GiveSignal(*fence);
  return abi::CreateError(signalled);
}

void eyrie_fence_fail(eyrie_fence_t* fence, eyrie_code_t code,
                      const char* message) {
  const auto known = code == EYRIE_OK ? absl::StatusCode::kUnknown
                                      : static_cast<absl::StatusCode>(code);
  fence->fence->Fail(
      absl::Status(known, {message, strnlen(message, abi::kMaxMessage)}));
  abi::GiveSignal(*fence);
}

eyrie_error_t* eyrie_fence_query(eyrie_fence_t* fence, int* out_reached) {
  const absl::StatusOr<bool> reached = fence->fence->Query();
  if (!reached.ok()) return abi::CreateError(reached.status());
  *out_reached = *reached ? 1 : 0;
  return nullptr;
}

eyrie_error_t* eyrie_fence_wait(eyrie_fence_t* fence, int64_t timeout_ns) {
  return abi::CreateError(abi::Wait(*fence, timeout_ns));
}

void eyrie_fence_on_done(eyrie_fence_t* fence, eyrie_done_t done, void* user) {
  fence->fence->OnReached([done, user](const absl::Status& status) {
    done(user, abi::CreateError(status));
  });
}

eyrie_error_t* eyrie_function_start(eyrie_function_t* function,
                                    eyrie_value_t* const* arguments,
                                    size_t argument_count,
                                    const char* const* names, size_t name_count,
                                    eyrie_fence_t* wait, eyrie_fence_t* signal,
                                    eyrie_value_t** results,
                                    size_t result_capacity) {
  return abi::CreateError(abi::Start(*function, {arguments, argument_count},
                                     {names, name_count}, wait, *signal,
                                     {results, result_capacity}));
}
