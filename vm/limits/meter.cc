// Budgets, and the messages of calls that are stopped.
#include "vm/limits/meter.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace eyrie::vm {
namespace {

// Fuel to take from a source at a time: branches for about 10 µs.
constexpr int64_t kPortion = 4096;

}  // namespace

Meter::Meter(const Limits& limits)
    : work_(std::make_shared<WorkBudget>(limits.timeout)),
      fuel_limit_(
          static_cast<int64_t>(std::min(limits.fuel, Limits::kUnlimited))),
      timeout_(limits.timeout),
      max_stack_(limits.max_stack) {}

Meter::Meter(const Limits& limits, std::shared_ptr<WorkBudget> source)
    : source_(std::move(source)),
      fuel_limit_(0),
      max_stack_(limits.max_stack) {}

void Meter::Stop(Reason reason) {
  Reason none = Reason::kNone;
  stop_.compare_exchange_strong(none, reason, std::memory_order_relaxed);
  work_->Stop(reason == Reason::kDeadline ? absl::StatusCode::kDeadlineExceeded
                                          : absl::StatusCode::kCancelled);
}

bool Meter::Renew() {
  Reclaim();
  if (stopped()) return false;
  ticked_ = ticks();
  if (budget_.held != 0) {
    budget_.fuel += std::exchange(budget_.held, 0);
    until_tick_ = kTick;
    HoldBack();
  }
  if (budget_.fuel >= 0) return true;
  if (source_ == nullptr) return false;
  // Charge may have taken many units at once, so more than one portion may be
  // owed.
  while (budget_.fuel < 0) {
    const int64_t taken = source_->Take(kPortion);
    if (taken == 0) return false;
    budget_.fuel += taken;
  }
  return true;
}

Deadline Meter::DeadlineFromNow() const {
  // A timeout of zero or less expires at once.
  if (timeout_ <= absl::ZeroDuration()) return Deadline::Passed();
  return Deadline::After(timeout_);
}

absl::Status Meter::StopReason() const {
  switch (stop_.load(std::memory_order_relaxed)) {
    case Reason::kDeadline:
      return absl::DeadlineExceededError(
          absl::StrCat("The call exceeds its time limit (",
                       absl::FormatDuration(timeout_), ")."));
    case Reason::kCancelled:
      return absl::CancelledError("The call is cancelled.");
    case Reason::kStack:
      return absl::ResourceExhaustedError(
          absl::StrCat("The call exceeds the stack (", max_stack_, " bytes)."));
    case Reason::kNone:
      break;
  }
  if (source_ != nullptr) return source_->StopReason();
  return absl::ResourceExhaustedError(
      absl::StrCat("The call exceeds its fuel limit (", fuel_limit_,
                   " backward branches and calls)."));
}

}  // namespace eyrie::vm
