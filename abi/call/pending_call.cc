#include "abi/call/pending_call.h"

#include <utility>

#include "abi/signature/signature.h"
#include "base/deadline.h"
#include "base/short_row.h"
#include "base/status_macros.h"
#include "base/work_budget.h"
#include "hal/forked_device.h"

namespace eyrie::abi {

absl::StatusOr<std::unique_ptr<PendingCall>> PendingCall::Begin(
    Session& session, Invoker& invoker, const Invoker::Request& request,
    std::function<void()> wake, Options options) {
  const vm::Context::LimitScope scope(session.context(), options.limited.get());
  RETURN_IF_ERROR(scope.status());
  // Lent elements may change before a call that waits reads them.
  const bool is_later = options.wait || !request.outs.empty();
  ASSIGN_OR_RETURN(
      std::vector<vm::Value> arguments,
      is_later ? invoker.EncodeLater(request) : invoker.Encode(request));
  std::unique_ptr<PendingCall> call(
      new PendingCall(session, invoker, std::move(options)));
  call->wakes_->wake = std::move(wake);
  call->arguments_ = std::move(arguments);
  const bool waits_itself = invoker.callable().is_async();
  RETURN_IF_ERROR(call->wait_ && !waits_itself ? call->Await() : call->Start());
  return call;
}

absl::Status PendingCall::Await() {
  state_ = State::kWaiting;
  wait_->OnReached([wakes = wakes_](const absl::Status&) { wakes->Wake(); });
  return WatchLimits(limited_ != nullptr ? limited_->deadline()
                                         : Deadline::Never());
}

void PendingCall::CheckWait() {
  const absl::StatusOr<bool> reached = wait_->IsWaitOver(Deadline::Never());
  if (!reached.ok()) return EndIfFailed(reached.status());
  if (!*reached) {
    return EndIfFailed(Annotate(CheckOwnLimits(), "(while waiting to begin)"));
  }
  alarm_ = nullptr;
  cancel_wake_.reset();
  deadline_ = Deadline::Never();
  state_ = State::kRunning;
  const vm::Context::LimitScope scope(session_.context(), limited_.get());
  EndIfFailed(scope.status().ok() ? Start() : scope.status());
}

void PendingCall::EndIfFailed(absl::Status status) {
  if (status.ok()) return;
  status_ = std::move(status);
  state_ = State::kOver;
}

absl::Status PendingCall::Start() {
  const Callable& callable = invoker_.callable();
  const vm::Function& function = callable.function();
  std::vector<vm::Value> arguments = std::move(arguments_);
  RETURN_IF_ERROR(callable.AddStorage(arguments, storage_));
  if (callable.is_async()) {
    ASSIGN_OR_RETURN(done_, session_.devices()[0]->CreateFence());
    hal::Fence* const fences[] = {wait_.get(), storage_.usable.get()};
    arguments.emplace_back(Ref<RefObject>(
        storage_.usable == nullptr ? wait_ : hal::Fence::Join(fences)));
    arguments.emplace_back(Ref<RefObject>(done_));
  }
  ASSIGN_OR_RETURN(call_,
                   vm::AsyncCall::Begin(
                       session_.context(), function, arguments,
                       [wakes = wakes_](std::function<void()> work) {
                         const std::lock_guard<std::mutex> lock(wakes->mutex);
                         wakes->work = std::move(work);
                         if (wakes->wake) wakes->wake();
                       },
                       [this](absl::StatusOr<std::vector<vm::Value>> values) {
                         Return(std::move(values));
                       },
                       limited_));
  return absl::OkStatus();
}

PendingCall::~PendingCall() {
  call_ = nullptr;
  alarm_ = nullptr;
  cancel_wake_.reset();
  const std::lock_guard<std::mutex> lock(wakes_->mutex);
  wakes_->wake = nullptr;
  wakes_->work = nullptr;
}

void PendingCall::Return(absl::StatusOr<std::vector<vm::Value>> values) {
  status_ = values.status();
  if (!values.ok()) {
    state_ = State::kOver;
    return;
  }
  values_ = *std::move(values);
  status_ = invoker_.callable().AddFilled(storage_, values_);
  if (!status_.ok()) {
    state_ = State::kOver;
    return;
  }
  state_ = done_ ? State::kReturned : State::kOver;
  if (!done_) return;
  done_->OnReached([wakes = wakes_](const absl::Status&) { wakes->Wake(); });
  EndIfFailed(WatchLimits(call_->deadline()));
}

absl::Status PendingCall::WatchLimits(Deadline deadline) {
  if (limited_ != nullptr && limited_->limits().cancel != nullptr) {
    cancel_wake_.emplace(*limited_->limits().cancel,
                         [wakes = wakes_] { wakes->Wake(); });
  }
  deadline_ = deadline;
  if (deadline_.IsNever()) return absl::OkStatus();
  ASSIGN_OR_RETURN(alarm_, Alarm::Create([wakes = wakes_] { wakes->Wake(); }));
  return alarm_->Set(deadline_);
}

absl::Status PendingCall::CheckOwnLimits() const {
  if (limited_ == nullptr) return absl::OkStatus();
  const bool late = limited_->deadline().HasPassed();
  if (!late && !limited_->is_cancelled()) return absl::OkStatus();
  // Ends the device's work; it keeps the memory that it uses.
  if (limited_->work() != nullptr) {
    limited_->work()->Stop(late ? absl::StatusCode::kDeadlineExceeded
                                : absl::StatusCode::kCancelled);
  }
  return late ? limited_->LateError() : vm::LimitedCall::CancelledError();
}

absl::Status PendingCall::CheckLimits() {
  constexpr char kWhere[] = "(while waiting for the device)";
  if (absl::Status own = CheckOwnLimits(); !own.ok()) {
    return Annotate(own, kWhere);
  }
  if (!deadline_.HasPassed()) return absl::OkStatus();
  vm::Context& context = session_.context();
  WorkBudget& work = *context.meter().context_work();
  work.Stop(absl::StatusCode::kDeadlineExceeded);
  absl::Status late = Annotate(work.StopReason(), kWhere);
  context.Fail(late);
  return late;
}

// Also fails the call if nothing can signal the fence any more.
void PendingCall::CheckFence() {
  const absl::StatusOr<bool> reached = done_->IsWaitOver(Deadline::Never());
  status_ = reached.status();
  if (reached.ok() && !*reached) status_ = CheckLimits();
  if (reached.ok() && !*reached && status_.ok()) return;
  state_ = State::kOver;
}

absl::Status PendingCall::CheckProcess() const {
  for (const Ref<hal::Device>& device : session_.devices()) {
    RETURN_IF_ERROR(hal::CheckProcess(*device));
  }
  return absl::OkStatus();
}

bool PendingCall::Run() {
  if (state_ >= State::kOver) return true;
  if (absl::Status usable = CheckProcess(); !usable.ok()) {
    status_ = std::move(usable);
    state_ = State::kOver;
    return true;
  }
  std::function<void()> work;
  {
    const std::lock_guard<std::mutex> lock(wakes_->mutex);
    work = std::exchange(wakes_->work, nullptr);
  }
  if (state_ == State::kWaiting) {
    CheckWait();
    if (state_ != State::kRunning) return state_ >= State::kOver;
    const std::lock_guard<std::mutex> lock(wakes_->mutex);
    work = std::exchange(wakes_->work, nullptr);
  }
  if (work) work();
  if (state_ == State::kReturned) CheckFence();
  return state_ >= State::kOver;
}

absl::Status PendingCall::TakeResults(std::vector<HostValue>& results) {
  if (state_ < State::kOver) {
    return absl::FailedPreconditionError("The call has not finished.");
  }
  if (state_ == State::kTaken) {
    return absl::FailedPreconditionError(
        "The call's results were taken before.");
  }
  state_ = State::kTaken;
  RETURN_IF_ERROR(status_);
  RETURN_IF_ERROR(invoker_.callable().CheckResults(values_));
  ASSIGN_OR_RETURN(results, invoker_.Decode(std::move(values_)));
  return absl::OkStatus();
}

}  // namespace eyrie::abi
