#include "abi/call/pipeline.h"

#include <utility>

#include "abi/call/result_storage.h"
#include "base/short_row.h"
#include "base/status_macros.h"
#include "hal/device.h"
#include "vm/run/context.h"

namespace eyrie::abi::v0 {

void Pipeline::After(Ref<hal::Fence> fence) {
  if (last_) {
    hal::Fence* const both[] = {last_.get(), fence.get()};
    fence = hal::Fence::Join(both);
  }
  last_ = std::move(fence);
  last_is_own_ = false;
}

void Pipeline::Complete() {
  if (last_is_own_) fences_.Reached(std::move(last_));
  last_ = nullptr;
}

absl::StatusOr<bool> Pipeline::IsComplete() {
  if (!last_) return true;
  ASSIGN_OR_RETURN(const bool reached, last_->Query());
  if (reached) Complete();
  return reached;
}

absl::Status Pipeline::Await() {
  ++statistics_.waits;
  RETURN_IF_ERROR(session_->WaitFor(*last_));
  Complete();
  return absl::OkStatus();
}

absl::Status Pipeline::Start(Callable& function,
                             std::span<const vm::Value> arguments,
                             std::vector<vm::Value>& results) {
  ASSIGN_OR_RETURN(const bool complete, IsComplete());
  ResultStorage::Slots slots;
  if (function.is_async()) {
    ASSIGN_OR_RETURN(Ref<hal::Fence> signal,
                     fences_.Next(*session_->devices()[0]));
    const absl::Status status =
        function.Start(arguments, last_.get(), signal.get(), slots, results);
    if (!status.ok()) {
      signal->Fail(status);  // queued operations may wait for it
      return status;
    }
    last_ = std::move(signal);
    last_is_own_ = true;
    if (slots.has_unknown()) RETURN_IF_ERROR(Await());
  } else {
    if (!complete) RETURN_IF_ERROR(Await());
    RETURN_IF_ERROR(
        function.Start(arguments, nullptr, nullptr, slots, results));
  }
  ++statistics_.calls;
  statistics_.made += slots.made;
  statistics_.allocated += slots.allocated;
  statistics_.fetched += slots.storage.size() - slots.made - slots.allocated;
  ShortRow<vm::Slot, 8> returned;
  RETURN_IF_ERROR(returned.Resize(results.size(), kResults));
  for (size_t i = 0; i < results.size(); ++i) returned[i] = results[i].slot();
  return function.CheckResults(returned);
}

absl::Status Pipeline::Submit(Callable& function,
                              std::span<const vm::Value> arguments,
                              std::vector<vm::Value>& results) {
  RETURN_IF_ERROR(failure_);
  vm::HostCall call(session_->context());
  RETURN_IF_ERROR(call.status());
  failure_ = call.End(Start(function, arguments, results));
  return failure_;
}

absl::Status Pipeline::Wait() {
  RETURN_IF_ERROR(failure_);
  if (!last_) return absl::OkStatus();
  vm::HostCall call(session_->context());
  RETURN_IF_ERROR(call.status());
  failure_ = call.End(Await());
  return failure_;
}

}  // namespace eyrie::abi::v0
