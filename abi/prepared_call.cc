// Slots that stay where they are.
//
// Tested by session_test.cc.
#include "abi/prepared_call.h"

#include "base/status_macros.h"

namespace eyrie::abi {

PreparedCall::PreparedCall(Callable callable, std::vector<vm::Value> arguments)
    : callable_(std::move(callable)),
      arguments_(std::move(arguments)),
      returned_(callable_.result_types().size()) {
  for (const vm::Value& argument : arguments_) {
    slots_.push_back(argument.slot());
  }
  results_.reserve(returned_.size());
}

absl::StatusOr<PreparedCall> PreparedCall::Create(
    Callable callable, std::vector<vm::Value> arguments) {
  RETURN_IF_ERROR(callable.CheckArguments(arguments));
  return PreparedCall(std::move(callable), std::move(arguments));
}

absl::Status PreparedCall::Invoke() {
  results_.clear();
  RETURN_IF_ERROR(callable_.Invoke(slots_, returned_));
  const std::span<const vm::ValueType> types = callable_.result_types();
  for (size_t i = 0; i < returned_.size(); ++i) {
    results_.push_back(vm::Value::Adopt(types[i], returned_[i]));
  }
  return absl::OkStatus();
}

}  // namespace eyrie::abi
