#include "abi/native/call_support.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "hal/paid_transfer.h"
#include "vm/limits/meter.h"

namespace eyrie::native {
namespace {

std::string Named(const RefObject* object) {
  return object == nullptr ? "null" : absl::StrCat("a !", object->type().name);
}

absl::Status NoFence(absl::string_view which, const RefObject* object) {
  return absl::InvalidArgumentError(absl::StrCat(
      "The fence ", which, " is ", Named(object), ", not a !hal.fence."));
}

}  // namespace

absl::StatusOr<CallFences> ReadFences(const vm::Slot* slots) {
  const CallFences fences = {RefCast<hal::Fence>(slots[0].ref),
                             RefCast<hal::Fence>(slots[1].ref)};
  if (fences.wait == nullptr && slots[0].ref != nullptr) {
    return NoFence("to wait for", slots[0].ref);
  }
  if (fences.signal == nullptr) return NoFence("to signal", slots[1].ref);
  return fences;
}

absl::Status WaitWithinLimits(const hal::Fence& fence,
                              const vm::ModuleState& state) {
  const vm::Meter* meter = state.meter();
  const auto stopped = [meter] { return meter && meter->stopped(); };
  const absl::Status status = fence.Wait(Deadline::Never(), stopped);
  if (status.ok() || !stopped()) return status;
  return Annotate(meter->StopReason(), "(while waiting for a native function)");
}

void EndFence(const hal::Fence& signal, const absl::Status& status) {
  const absl::Status ended = status.ok() ? signal.Signal() : status;
  if (!ended.ok()) signal.Fail(ended);
}

hal::BufferParams ResultParams(uint64_t owner) {
  hal::BufferParams params;
  params.type = hal::memory_type::kDeviceLocal | hal::memory_type::kHostVisible;
  params.usage = hal::buffer_usage::kDefault | hal::buffer_usage::kMapping;
  params.owner = owner;
  return params;
}

absl::Status NoViewError(size_t index, absl::string_view callee,
                         const RefObject* object) {
  return absl::InvalidArgumentError(
      absl::StrCat("Argument ", index, " of the ", callee, " is ",
                   Named(object), "; a !hal.buffer_view is required."));
}

}  // namespace eyrie::native
