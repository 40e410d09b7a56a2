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
      max_stack_(limits.max_stack) {
  has_limits_ = has_timeout();
  budget_.fuel = fuel_limit_;  // for FuelUsed
}

Meter::Meter(const Limits& limits, std::shared_ptr<WorkBudget> source)
    : source_(std::move(source)),
      payer_(source_.get()),
      fuel_limit_(0),
      max_stack_(limits.max_stack) {}

void Meter::Stop(Reason reason) {
  Reason now = stop_.load(std::memory_order_relaxed);
  while (now == Reason::kNone || (IsOfCall(now) && !IsOfCall(reason))) {
    if (stop_.compare_exchange_weak(now, reason, std::memory_order_relaxed)) {
      break;
    }
  }
  const bool late =
      reason == Reason::kDeadline || reason == Reason::kCallDeadline;
  // Only a call's own reasons may read call_work_ on another thread.
  (IsOfCall(reason) ? call_work_ : work_)
      ->Stop(late ? absl::StatusCode::kDeadlineExceeded
                  : absl::StatusCode::kCancelled);
}

LimitedCall* Meter::set_next(LimitedCall* next) {
  has_limits_ = has_timeout() || next != nullptr;
  return std::exchange(next_, next);
}

void Meter::Limit(CallBudget& budget) const {
  if (has_timeout()) budget.deadline = DeadlineFromNow();
  // A call that a native function begins is part of the running one.
  if (next_ == nullptr || limited_ != nullptr) return;
  LimitedCall& call = *next_;
  const bool replaces = call.is_initializer();
  call.owns_fuel_ = replaces || call.fuel_ < fuel_limit_;
  const int64_t fuel = call.owns_fuel_ ? call.fuel_ : fuel_limit_;
  budget.fuel = std::min(fuel, first_portion_);
  budget.held = fuel - budget.fuel;
  call.owns_deadline_ = replaces || call.deadline_ < budget.deadline;
  if (call.owns_deadline_) budget.deadline = call.deadline_;
  if (budget.deadline.HasPassed()) budget.deadline = Deadline::Passed();
  budget.deadline = std::min(budget.deadline, kNoDeadline);
  if (call.work_ != nullptr) return;
  call.work_ = std::make_shared<WorkBudget>(
      call.owns_deadline_ ? call.limits_.timeout : timeout_, fuel, work_);
}

LimitedCall* Meter::BeginLimited(const CallBudget& budget) {
  limited_ = next_;
  alarm_reason_.store(Reason::kDeadline, std::memory_order_relaxed);
  if (limited_ == nullptr) return nullptr;
  limited_->given_ = budget.fuel + budget.held;
  call_work_ = limited_->work_;
  if (limited_->owns_deadline_ && !limited_->is_initializer()) {
    alarm_reason_.store(Reason::kCallDeadline, std::memory_order_relaxed);
  }
  return limited_;
}

void Meter::LimitQueuedWork(Deadline deadline) {
  if (deadline >= kNoDeadline) return;
  call_work_->EndBy(deadline);
  // Other calls may have queued work, too.
  if (call_work_ != work_ && has_timeout()) work_->EndBy(DeadlineFromNow());
}

bool Meter::HasUsedOwnFuel(int64_t fuel_left) const {
  return limited_ != nullptr && limited_->owns_fuel_ &&
         !limited_->is_initializer() &&
         (fuel_left < 0 || call_work_->refused());
}

void Meter::EndLimited(const CallBudget& left) {
  limited_->fuel_ -= limited_->given_ - (left.fuel + left.held);
  const int64_t used = static_cast<int64_t>(std::min(limited_->limits_.fuel,
                                                     Limits::kUnlimited)) -
                       limited_->fuel_;
  budget_.fuel = fuel_limit_ - used;  // for FuelUsed
  budget_.held = 0;
  Reason reason = stop_.load(std::memory_order_relaxed);
  if (IsOfCall(reason)) {
    // Fails if the context is cancelled meanwhile, which must be kept.
    stop_.compare_exchange_strong(reason, Reason::kNone,
                                  std::memory_order_relaxed);
  }
  call_work_ = work_;
  limited_ = nullptr;
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
  if (payer_ == nullptr) return false;
  // Charge may have taken many units at once, so more than one portion may be
  // owed.
  while (budget_.fuel < 0) {
    const int64_t taken = payer_->Take(kPortion);
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
    case Reason::kCallDeadline:
    case Reason::kDeadline:
      if (limited_ != nullptr && limited_->owns_deadline_) {
        return limited_->LateError();
      }
      return absl::DeadlineExceededError(
          absl::StrCat("The call exceeds its time limit (",
                       absl::FormatDuration(timeout_), ")."));
    case Reason::kCallCancelled:
      return LimitedCall::CancelledError();
    case Reason::kCancelled:
      return absl::CancelledError("The call is cancelled.");
    case Reason::kStack:
      return absl::ResourceExhaustedError(
          absl::StrCat("The call exceeds the stack (", max_stack_, " bytes)."));
    case Reason::kNone:
      break;
  }
  if (payer_ != nullptr) return payer_->StopReason();
  if (limited_ != nullptr && limited_->owns_fuel_) return limited_->FuelError();
  return absl::ResourceExhaustedError(
      absl::StrCat("The call exceeds its fuel limit (", fuel_limit_,
                   " backward branches and calls)."));
}

}  // namespace eyrie::vm
