#include "vm/run/async_call.h"

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "base/alarm.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "vm/limits/cancel_token.h"
#include "vm/limits/meter.h"
#include "vm/run/invocation.h"

namespace eyrie::vm {

// Scheduled work and wakers hold weak references to it. Schedule may be called
// by any thread; everything else by the context's thread only.
class AsyncCall::State : public std::enable_shared_from_this<State> {
 public:
  State(Context& context, const Function& function, std::span<const Value> args,
        Scheduler scheduler, Done done, std::shared_ptr<LimitedCall> limited)
      : context_(context),
        function_(function),
        args_(args.begin(), args.end()),
        scheduler_(std::move(scheduler)),
        done_(std::move(done)),
        limited_(std::move(limited)) {}

  // Schedules the first piece, and another one when the token is cancelled.
  void Begin() {
    Schedule();
    if (limited_ == nullptr || limited_->limits().cancel == nullptr) return;
    cancel_wake_.emplace(*limited_->limits().cancel, [self = weak_from_this()] {
      if (const auto state = self.lock()) state->Schedule();
    });
  }

  // Passes the next piece to the scheduler, unless one is scheduled already.
  void Schedule() {
    if (scheduled_.exchange(true)) return;
    scheduler_([self = weak_from_this()] {
      if (const std::shared_ptr<State> state = self.lock()) state->Step();
    });
  }

  // Ends the call. Wakers that are called later do nothing.
  void Drop() {
    over_ = true;
    StopAlarm();
    cancel_wake_.reset();
    invocation_ = nullptr;
    args_.clear();
    done_ = nullptr;
  }

  Context& context() { return context_; }
  Deadline deadline() const {
    return deadline_ < Meter::kNoDeadline ? deadline_ : Deadline::Never();
  }

 private:
  void Step();
  // Runs to the next yield or the end. Returns whether a waker will resume it.
  absl::StatusOr<bool> Run();
  void Finish(absl::StatusOr<std::vector<Value>> results);
  absl::Status SetAlarm();
  void StopAlarm();

  Context& context_;
  const Function function_;
  std::vector<Value> args_;  // cleared when the call begins
  const Scheduler scheduler_;
  Done done_;
  const std::shared_ptr<LimitedCall> limited_;  // may be null
  std::optional<CancelWake> cancel_wake_;
  std::unique_ptr<Invocation> invocation_;
  Deadline deadline_ = Deadline::Never();
  std::unique_ptr<Alarm> alarm_;  // set while the call is suspended
  bool over_ = false;
  std::atomic<bool> scheduled_ = false;
};

absl::StatusOr<bool> AsyncCall::State::Run() {
  const Context::LimitScope scope(context_, limited_.get());
  RETURN_IF_ERROR(scope.status());
  Suspension& suspension = context_.meter_.suspension;
  suspension.Arm([self = weak_from_this()] {
    if (const std::shared_ptr<State> state = self.lock()) state->Schedule();
  });
  absl::Status status;
  if (invocation_ == nullptr) {
    auto begun = Invocation::Begin(context_, function_, args_);
    args_.clear();
    status = begun.status();
    if (begun.ok()) invocation_ = *std::move(begun);
  } else {
    status = invocation_->Resume();
  }
  const bool awaited = suspension.Disarm();
  if (invocation_ != nullptr) deadline_ = invocation_->budget().deadline;
  RETURN_IF_ERROR(status);
  if (invocation_->state() == Invocation::State::kFailed) {
    return invocation_->Resume();
  }
  return awaited;
}

void AsyncCall::State::Step() {
  scheduled_ = false;
  if (over_) return;
  StopAlarm();
  const absl::StatusOr<bool> awaited = Run();
  if (!awaited.ok()) return Finish(awaited.status());
  if (invocation_->state() == Invocation::State::kDone) {
    return Finish(invocation_->TakeResults());
  }
  if (!*awaited) {
    Schedule();
  } else if (const absl::Status set = SetAlarm(); !set.ok()) {
    Finish(set);
  }
}

void AsyncCall::State::Finish(absl::StatusOr<std::vector<Value>> results) {
  const Done done = std::move(done_);
  Drop();
  done(std::move(results));
}

// The call's waker may never be called, so an alarm resumes it at its deadline.
absl::Status AsyncCall::State::SetAlarm() {
  const Deadline deadline = invocation_->budget().deadline;
  if (deadline >= Meter::kNoDeadline) return absl::OkStatus();
  ASSIGN_OR_RETURN(alarm_, Alarm::Create([self = weak_from_this()] {
                     if (const std::shared_ptr<State> state = self.lock())
                       state->Schedule();
                   }));
  return alarm_->Set(deadline);
}

void AsyncCall::State::StopAlarm() { alarm_ = nullptr; }

absl::StatusOr<std::unique_ptr<AsyncCall>> AsyncCall::Begin(
    Context& context, const Function& function, std::span<const Value> args,
    Scheduler scheduler, Done done, std::shared_ptr<LimitedCall> limited) {
  RETURN_IF_ERROR(context.CheckCall(function, args));
  auto state =
      std::make_shared<State>(context, function, args, std::move(scheduler),
                              std::move(done), std::move(limited));
  state->Begin();
  return std::unique_ptr<AsyncCall>(new AsyncCall(std::move(state)));
}

Deadline AsyncCall::deadline() const { return state_->deadline(); }

AsyncCall::~AsyncCall() { state_->Drop(); }

void AsyncCall::Cancel() {
  state_->context().Cancel();
  state_->Schedule();
}

}  // namespace eyrie::vm
