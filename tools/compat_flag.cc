#include "tools/compat_flag.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "tools/usage_error.h"
#include "vm/isa/release.h"

namespace eyrie::tools {

absl::Status CheckCompat(const Arguments& arguments) {
  const std::string& compat = arguments.GetString("compat");
  const vm::ReleaseRange known = {1, vm::kNewestRelease};
  if (compat.empty()) return absl::OkStatus();
  const std::optional<int> release = vm::FindRelease(compat);
  if (release && *release >= known.first) return absl::OkStatus();
  return UsageError(absl::StrCat("--compat='", compat,
                                 "' is not a known release; expected ",
                                 known.ToString(), "."));
}

}  // namespace eyrie::tools
