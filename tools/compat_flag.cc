#include "tools/compat_flag.h"

#include <string>

#include "abi/call/host_imports.h"
#include "absl/strings/str_cat.h"

namespace eyrie::tools {

absl::Status CheckCompat(const Arguments& arguments) {
  const std::string& compat = arguments.GetString("compat");
  const abi::ReleaseRange known;
  bool found = compat.empty();
  for (int minor = known.first; minor <= known.last; ++minor) {
    found |= compat == absl::StrCat("3.", minor);
  }
  if (found) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--compat='", compat, "' is not a known release; expected ",
                   known.ToString(), "."));
}

}  // namespace eyrie::tools
