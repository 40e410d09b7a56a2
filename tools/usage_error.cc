#include "tools/usage_error.h"

#include "absl/strings/cord.h"

namespace eyrie::tools {
namespace {

constexpr char kUsagePayload[] = "eyrie/usage";
constexpr int kFailed = 1;

int usage_code = 2;

}  // namespace

absl::Status UsageError(absl::string_view sentence) {
  return AsUsageError(absl::InvalidArgumentError(sentence));
}

absl::Status AsUsageError(const absl::Status& status) {
  if (!absl::IsInvalidArgument(status)) return status;
  absl::Status marked = status;
  marked.SetPayload(kUsagePayload, absl::Cord());
  return marked;
}

int ExitCodeOf(const absl::Status& status) {
  return status.GetPayload(kUsagePayload) ? usage_code : kFailed;
}

void UsePublicExitCodes() { usage_code = kFailed; }

}  // namespace eyrie::tools
