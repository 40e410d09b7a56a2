// Fences: hal.fence.*.
//
// Tested by hal_module_test.cc.
#include <cstdint>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "hal/host_semaphore.h"
#include "hal/module/imports.h"

namespace eyrie::hal {
namespace {

// The status that modules see for "not yet reached". Lower ones are Abseil's.
constexpr int32_t kDeferred = 17;
constexpr int32_t kStatusCodeMask = 0x1F;

Deadline DeadlineOf(int32_t timeout_ms) {
  // The number is unsigned; all bits set means no limit.
  const auto unsigned_ms = static_cast<uint32_t>(timeout_ms);
  if (unsigned_ms == UINT32_MAX) return Deadline::Never();
  if (unsigned_ms == 0) return Deadline::Passed();
  return Deadline::After(absl::Milliseconds(int64_t{unsigned_ms}));
}

// The bytes of a fence with its own timeline.
constexpr uint64_t kFenceBytes = sizeof(Fence) + sizeof(HostSemaphore);

// Waits, and reports whether the fence was reached before the deadline.
// DEADLINE_EXCEEDED, CANCELLED: the call was stopped. Else the fence's error.
absl::StatusOr<bool> WaitFor(const HalModuleState& state, const Fence& fence,
                             Deadline deadline) {
  ASSIGN_OR_RETURN(bool reached, fence.Query());
  if (reached) return true;
  if (deadline == Deadline::Passed()) return false;
  const vm::Meter* meter = state.meter();
  const auto stopped = [meter] { return meter && meter->stopped(); };
  absl::Status waited = fence.Wait(deadline, stopped);
  if (waited.ok()) return true;
  if (stopped()) return meter->StopReason();
  // A fence may itself have failed with DEADLINE_EXCEEDED.
  ASSIGN_OR_RETURN(reached, fence.Query());
  if (reached || absl::IsDeadlineExceeded(waited)) return reached;
  return waited;
}

// Waits for fences of which some are not known to be reached.
[[gnu::noinline]] absl::StatusOr<int32_t> AwaitAll(HalModuleState& state,
                                                   int32_t timeout_ms,
                                                   vm::Spread<Fence*> fences) {
  // Check for failures first, so that a wait for one fence does not delay
  // another's failure.
  bool all_reached = true;
  for (size_t i = 0; i < fences.size(); ++i) {
    const Fence* const fence = fences.get(i);
    if (fence == nullptr || fence->IsKnownReached()) continue;
    RETURN_IF_ERROR(state.WorkOnPoints(fence));
    ASSIGN_OR_RETURN(bool reached, fence->Query());
    all_reached &= reached;
  }
  if (all_reached) return 0;
  const Deadline deadline = DeadlineOf(timeout_ms);
  if (deadline.IsNever() && state.CanSuspend()) {
    absl::InlinedVector<Fence*, 8> list;
    for (size_t i = 0; i < fences.size(); ++i) {
      if (fences.get(i) == nullptr) continue;
      RETURN_IF_ERROR(fences.get(i)->IsWaitOver(deadline));
      list.push_back(fences.get(i));
    }
    Fence::Join(list)->OnReached(
        [wake = state.TakeWaker()](const absl::Status&) { wake(); });
    return vm::Pending();
  }
  for (size_t i = 0; i < fences.size(); ++i) {
    if (fences.get(i) == nullptr) continue;
    ASSIGN_OR_RETURN(bool reached, WaitFor(state, *fences.get(i), deadline));
    if (!reached) {
      return static_cast<int32_t>(absl::StatusCode::kDeadlineExceeded);
    }
  }
  return 0;
}

}  // namespace

absl::StatusOr<int32_t> FenceAwait(HalModuleState& state, int32_t timeout_ms,
                                   int64_t, vm::Spread<Fence*> fences) {
  for (size_t i = 0; i < fences.size(); ++i) {
    const Fence* const fence = fences.get(i);
    if (fence != nullptr && !fence->IsKnownReached()) {
      return AwaitAll(state, timeout_ms, fences);
    }
  }
  return 0;
}

absl::StatusOr<Ref<Fence>> FenceCreate(HalModuleState& state, Device& device,
                                       int64_t) {
  return state.Charged<Fence>(device.CreateFence(), kFenceBytes, "a fence");
}

absl::Status FenceFail(HalModuleState& state, Fence& fence, int32_t status) {
  RETURN_IF_ERROR(state.WorkOnPoints(&fence));
  const int32_t code = status & kStatusCodeMask;
  if (code == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Status ", status, " (OK) cannot fail a fence."));
  }
  // Abseil has codes 0 to 16.
  const auto known = code < kDeferred ? static_cast<absl::StatusCode>(code)
                                      : absl::StatusCode::kUnknown;
  fence.Fail(absl::Status(
      known,
      absl::StrCat("The module fails the fence with status ", code, ".")));
  return absl::OkStatus();
}

absl::StatusOr<Ref<Fence>> FenceJoin(HalModuleState& state, int64_t,
                                     vm::Spread<Fence*> fences) {
  absl::InlinedVector<Fence*, 8> list;  // those not known to be reached
  Fence* reached = nullptr;
  for (size_t i = 0; i < fences.size(); ++i) {
    Fence* fence = fences.get(i);
    if (fence == nullptr || fence->points().empty()) continue;
    RETURN_IF_ERROR(state.WorkOnPoints(fence));
    if (fence->IsKnownReached()) {
      reached = fence;
    } else {
      list.push_back(fence);
    }
  }
  // If at most one fence is not reached, no new fence is needed.
  if (list.empty()) return Ref<Fence>::Share(reached);
  if (list.size() == 1) return Ref<Fence>::Share(list[0]);
  Ref<Fence> joined = Fence::Join(list);
  const size_t points = joined->points().size();
  return state.Charged<Fence>(std::move(joined),
                              sizeof(Fence) + points * sizeof(Fence::Point),
                              "a fence");
}

absl::StatusOr<int32_t> FenceQuery(HalModuleState& state, Fence& fence) {
  RETURN_IF_ERROR(state.WorkOnPoints(&fence));
  absl::StatusOr<bool> reached = fence.Query();
  if (!reached.ok()) return static_cast<int32_t>(reached.status().code());
  return *reached ? 0 : kDeferred;
}

absl::Status FenceSignal(HalModuleState& state, Fence& fence) {
  RETURN_IF_ERROR(state.WorkOnPoints(&fence));
  return fence.Signal();
}

}  // namespace eyrie::hal
