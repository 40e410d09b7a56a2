// Calls that have limits of time or of their own, and calls that are stopped.
//
// When a LimitedCall ends, first the alarm and the token are detached, so that
// no other thread can stop the meter for this call's reasons any more. Then a
// stop that only concerns the call is undone.
// Tested by limits_test.cc, deadline_test.cc, call_limits_test.cc.
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "vm/limits/call_limits.h"
#include "vm/limits/cancel_token.h"
#include "vm/limits/meter.h"
#include "vm/run/context.h"

namespace eyrie::vm {
namespace {

// Returns the text without the backtrace.
absl::string_view FirstLine(absl::string_view text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

HostCall::~HostCall() { End(absl::OkStatus()).IgnoreError(); }

void HostCall::BeginTimed(const CallBudget& budget) {
  Meter& meter = context_.meter_;
  timed_ = true;
  meter.timed = this;
  const LimitedCall* const limited = meter.BeginLimited(budget);
  meter.FreeQueuedWork();
  if (limited != nullptr && limited->limits().cancel != nullptr) {
    limited->limits().cancel->Attach(
        this, [&meter] { meter.Stop(Meter::Reason::kCallCancelled); });
  }
  SetAlarm(budget.deadline);
}

void HostCall::SetAlarm(Deadline deadline) {
  // This is the deadline of a resumed call, or of a LimitedCall.
  if (deadline == Deadline::Passed()) return context_.meter_.StopLate();
  if (deadline >= Meter::kNoDeadline) return;
  absl::Status set = context_.CreateAlarm();
  if (set.ok()) set = context_.alarm_->Set(deadline);
  if (set.ok() || !context_.failure_.ok()) return;
  context_.failure_ = std::move(set);
  context_.is_unlimited_ = true;
}

void HostCall::HoldClock() {
  if (context_.alarm_ != nullptr) context_.alarm_->Stop();
  held_at_ = Deadline::Now();
}

void HostCall::ReleaseClock() {
  Meter& meter = context_.meter_;
  meter.Extend(Deadline::Now() - held_at_);
  if (!meter.stopped()) SetAlarm(meter.deadline());
}

absl::Status HostCall::WhyNot() const {
  const absl::Status& failure = context_.failure_;
  if (context_.is_unlimited_) return failure;
  return absl::FailedPreconditionError(
      absl::StrCat("The context can no longer be called, because a call "
                   "failed with ",
                   absl::StatusCodeToString(failure.code()), ": ",
                   FirstLine(failure.message())));
}

absl::Status HostCall::EndTimed(absl::Status status) {
  Meter& meter = context_.meter_;
  meter.timed = nullptr;
  if (context_.alarm_ != nullptr) context_.alarm_->Stop();
  if (std::exchange(context_.is_unlimited_, false)) {
    context_.failure_ = absl::OkStatus();
  }
  const LimitedCall* const limited = meter.limited();
  if (limited != nullptr && limited->limits().cancel != nullptr) {
    limited->limits().cancel->Detach(this);
  }
  // The alarm may fire late on a busy machine.
  if (meter.deadline().HasPassed()) meter.StopLate();
  const CallBudget left = meter.LeaveTimed();
  if (budget_ != nullptr) *budget_ = left;
  meter.Return(left);
  meter.LimitQueuedWork(left.deadline);
  if (!status.ok() || meter.stopped() || meter.work()->refused() ||
      meter.context_work()->refused()) {
    status = EndStopped(std::move(status), left.fuel + left.held);
  }
  if (limited != nullptr) meter.EndLimited(left);
  return status;
}

absl::Status HostCall::EndStopped(absl::Status status, int64_t fuel_left) {
  const Meter& meter = context_.meter_;
  const bool refused = meter.work()->refused();
  if (status.ok()) {
    status =
        meter.stopped()
            ? Annotate(meter.StopReason(), "(noticed when it returned)")
            : (refused ? meter.work() : meter.context_work())->StopReason();
  }
  const bool own_fuel = meter.HasUsedOwnFuel(fuel_left);
  const bool fails_context =
      meter.stopped_for_good() || meter.context_work()->refused() ||
      ((fuel_left < 0 || refused) && !own_fuel) ||
      (context_.memory_ && context_.memory_->refusals() != refusals_);
  if (fails_context && context_.failure_.ok()) context_.failure_ = status;
  // Operations that the call has queued must not go on after it.
  if (meter.limited() != nullptr && (meter.stopped() || own_fuel)) {
    meter.work()->Stop(absl::StatusCode::kCancelled);
  }
  return status;
}

Context::LimitScope::LimitScope(Context& context, LimitedCall* call) {
  if (call == nullptr) return;
  is_inside_ = context.in_call_;
  if (is_inside_) return;
  context_ = &context;
  before_ = context.meter_.set_next(call);
}

Context::LimitScope::~LimitScope() {
  if (context_ != nullptr) context_->meter_.set_next(before_);
}

absl::Status Context::LimitScope::status() const {
  if (!is_inside_) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "A call that is part of another one of the same context cannot have "
      "limits of its own.");
}

}  // namespace eyrie::vm
