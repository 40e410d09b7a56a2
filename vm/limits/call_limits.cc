#include "vm/limits/call_limits.h"

#include "absl/strings/str_cat.h"

namespace eyrie::vm {

absl::Status LimitedCall::LateError() const {
  return absl::DeadlineExceededError(absl::StrCat(
      is_initializer() ? "The initializer exceeds its time limit ("
                       : "The call exceeds the time limit of its options (",
      absl::FormatDuration(limits_.timeout), ")."));
}

absl::Status LimitedCall::CancelledError() {
  return absl::CancelledError("The call is cancelled by its token.");
}

absl::Status LimitedCall::FuelError() const {
  return absl::ResourceExhaustedError(absl::StrCat(
      is_initializer() ? "The initializer exceeds its fuel limit ("
                       : "The call exceeds the fuel limit of its options (",
      limits_.fuel, " backward branches and calls)."));
}

}  // namespace eyrie::vm
