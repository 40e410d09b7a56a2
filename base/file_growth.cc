// Tested by file_growth_test.cc.
#include "base/file_growth.h"

#include "absl/strings/str_cat.h"

namespace eyrie {

absl::Status DecodingBudget::Exhausted(absl::string_view what) const {
  const bool least = most_ == kLeastMost;
  return absl::ResourceExhaustedError(absl::StrCat(
      what, " name the same bytes too often: they would decode to more than ",
      most_, " bytes, the limit for ", file_bytes_, " bytes of a file",
      least ? "" : absl::StrCat(" (", kMostGrowth, " times as many)"), "."));
}

}  // namespace eyrie
