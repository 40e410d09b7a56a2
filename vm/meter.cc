// Budgets, and the sentences of calls that are stopped.
#include "vm/meter.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace eyrie::vm {

CallBudget Meter::NewBudget() const {
  CallBudget budget;
  budget.fuel = static_cast<int64_t>(std::min(fuel_limit_, Limits::kUnlimited));
  if (timeout_ != absl::InfiniteDuration()) {
    budget.deadline = absl::Now() + timeout_;
  }
  return budget;
}

absl::Status Meter::StopReason() const {
  switch (stop_.load(std::memory_order_relaxed)) {
    case Reason::kDeadline:
      return absl::DeadlineExceededError(
          absl::StrCat("The call takes longer than its limit of time (",
                       absl::FormatDuration(timeout_), ")."));
    case Reason::kCancelled:
      return absl::CancelledError("The call is cancelled.");
    case Reason::kStack:
      return absl::ResourceExhaustedError("The call exceeds the stack.");
    case Reason::kNone:
      break;
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("The call makes more than ", fuel_limit_,
                   " branches backwards and calls, its limit of fuel."));
}

}  // namespace eyrie::vm
