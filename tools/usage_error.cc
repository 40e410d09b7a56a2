#include "tools/usage_error.h"

#include "absl/strings/cord.h"

namespace eyrie::tools {
namespace {

constexpr char kUsagePayload[] = "eyrie/usage";
constexpr int kFailed = 1;

int usage_code = 2;

absl::Status Marked(absl::Status status) {
  status.SetPayload(kUsagePayload, absl::Cord());
  return status;
}

}  // namespace

absl::Status UsageError(absl::string_view sentence) {
  return AsUsageError(absl::InvalidArgumentError(sentence));
}

absl::Status AsUsageError(const absl::Status& status) {
  return absl::IsInvalidArgument(status) ? Marked(status) : status;
}

absl::Status AsValueError(const absl::Status& status) {
  return absl::IsNotFound(status) ? Marked(status) : AsUsageError(status);
}

bool IsUsageError(const absl::Status& status) {
  return status.GetPayload(kUsagePayload).has_value();
}

int ExitCodeOf(const absl::Status& status) {
  return IsUsageError(status) ? usage_code : kFailed;
}

void UsePublicExitCodes() { usage_code = kFailed; }

bool UsesPublicExitCodes() { return usage_code == kFailed; }

}  // namespace eyrie::tools
