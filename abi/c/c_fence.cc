// Fences of the C API.
//
// Tested by runtime_fence_test.cc.
#include "eyrie/c_fence.h"

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "abi/c/c_handles.h"
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

absl::Status Wait(const eyrie_fence_t& fence, int64_t timeout_ns) {
  return fence.fence->Wait(
      timeout_ns < 0 ? Deadline::Never()
                     : Deadline::After(absl::Nanoseconds(timeout_ns)));
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

std::shared_ptr<HostSignal> AwaitedBy(eyrie_fence_t& fence) {
  const std::lock_guard<std::mutex> lock(fence.mutex);
  if (fence.awaited == nullptr || fence.awaited->is_given) return nullptr;
  return fence.awaited;
}

void SetAwaited(std::shared_ptr<HostSignal> awaited, eyrie_fence_t& fence) {
  const std::lock_guard<std::mutex> lock(fence.mutex);
  fence.awaited = std::move(awaited);
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
