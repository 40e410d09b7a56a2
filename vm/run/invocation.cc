#include "vm/run/invocation.h"

#include <thread>
#include <utility>

#include "base/status_macros.h"

namespace eyrie::vm {

Invocation::Invocation(Context& context, const Function& function,
                       std::unique_ptr<Stack> stack)
    : context_(context),
      function_(function),
      stack_(std::move(stack)),
      budget_(context.meter_.NewBudget()),
      results_(function.signature().result_types().size()),
      machine_(std::make_unique<Machine>(
          *stack_, context.meter_, &context.print_, context.jit_.get())) {}

Invocation::~Invocation() {
  TakeResults();
  machine_.reset();  // drops the frames on the stack
  context_.ReturnStack(std::move(stack_));
}

absl::StatusOr<std::unique_ptr<Invocation>> Invocation::Begin(
    Context& context, const Function& function, std::span<const Value> args) {
  RETURN_IF_ERROR(context.CheckCall(function, args));
  RETURN_IF_ERROR(HostCall(context).status());
  ASSIGN_OR_RETURN(std::unique_ptr<Stack> stack, context.TakeStack());
  std::unique_ptr<Invocation> invocation(
      new Invocation(context, function, std::move(stack)));
  std::vector<Slot> slots;
  for (const Value& value : args) slots.push_back(value.slot());
  RETURN_IF_ERROR(invocation->machine_->EnterFromHost(
      function.code(), *function.state_, slots.data(),
      invocation->results_.data()));
  invocation->RunOn().IgnoreError();
  return invocation;
}

absl::Status Invocation::RunOn() {
  HostCall call(context_, budget_);
  absl::Status status = call.status();
  if (status.ok()) status = context_.RunOn(*machine_);
  const bool done = status.ok() && machine_->outcome == Outcome::kDone;
  if (done) state_ = State::kDone;
  status = call.End(std::move(status));
  if (!status.ok()) {
    TakeResults();  // the call was done, but too late
    state_ = State::kFailed;
    failure_ = status;
    machine_.reset();  // drops the frames on the stack
  }
  return status;
}

absl::Status Invocation::Resume() {
  if (state_ == State::kYielded) return RunOn();
  if (state_ == State::kFailed) return failure_;
  return absl::FailedPreconditionError(
      "The invocation has ended and cannot be resumed.");
}

absl::StatusOr<std::vector<Value>> Invocation::Await() {
  while (state_ == State::kYielded) {
    RETURN_IF_ERROR(RunOn());
    if (state_ == State::kYielded) std::this_thread::yield();
  }
  if (state_ == State::kFailed) return failure_;
  return TakeResults();
}

std::vector<Value> Invocation::TakeResults() {
  std::vector<Value> values;
  if (state_ != State::kDone) return values;
  const std::vector<ValueType>& types = function_.signature().result_types();
  for (size_t i = 0; i < results_.size(); ++i) {
    values.push_back(Value::Adopt(types[i], results_[i]));
  }
  results_.clear();
  return values;
}

}  // namespace eyrie::vm
