// The sentences of calls that are stopped.
#include "vm/meter.h"

#include "absl/strings/str_cat.h"

namespace eyrie::vm {

absl::Status Meter::StopReason() const {
  switch (stop_.load(std::memory_order_relaxed)) {
    case Reason::kDeadline:
      return absl::DeadlineExceededError("The call takes longer than allowed.");
    case Reason::kCancelled:
      return absl::CancelledError("The call is cancelled.");
    case Reason::kNone:
      break;
  }
  return absl::ResourceExhaustedError(absl::StrCat(
      "The call makes more than ", limit_,
      " branches backwards and calls, its limit of fuel."));
}

}  // namespace eyrie::vm
