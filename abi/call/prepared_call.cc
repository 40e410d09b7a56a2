// Keeps the slots of arguments from call to call.
#include "abi/call/prepared_call.h"

#include "absl/strings/string_view.h"
#include "base/allocate.h"
#include "base/status_macros.h"

namespace eyrie::abi {

PreparedCall::PreparedCall(Callable callable, std::vector<vm::Value> arguments)
    : callable_(std::move(callable)), arguments_(std::move(arguments)) {}

absl::StatusOr<PreparedCall> PreparedCall::Create(
    Callable callable, std::vector<vm::Value> arguments) {
  constexpr absl::string_view kWhat = "a prepared call";
  PreparedCall call(std::move(callable), std::move(arguments));
  const size_t count = call.callable_.result_types().size();
  RETURN_IF_ERROR(Reserve(call.slots_, call.arguments_.size(), kWhat));
  RETURN_IF_ERROR(Resize(call.returned_, count, kWhat));
  RETURN_IF_ERROR(Reserve(call.results_, count, kWhat));
  for (const vm::Value& argument : call.arguments_) {
    call.slots_.push_back(argument.slot());
  }
  return call;
}

absl::StatusOr<std::span<vm::Slot>> PreparedCall::InvokeRaw() {
  results_.clear();
  RETURN_IF_ERROR(callable_.Invoke(slots_, returned_));
  return std::span<vm::Slot>(returned_);
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
