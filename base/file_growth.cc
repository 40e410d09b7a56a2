#include "base/file_growth.h"

#include "absl/strings/str_cat.h"

namespace eyrie {

absl::Status TextTooLongError(uint64_t most, uint64_t file_bytes) {
  return absl::ResourceExhaustedError(
      absl::StrCat("The text of the module exceeds ", most,
                   " bytes, the limit for a file of ", file_bytes,
                   " bytes: names in it are long."));
}

absl::Status DecodingBudget::Exhausted(absl::string_view what) const {
  const bool least = most_ == kLeastMost;
  return absl::ResourceExhaustedError(absl::StrCat(
      what, " name the same bytes too often: they would decode to more than ",
      most_, " bytes, the limit for ", file_bytes_, " bytes of a file",
      least ? "" : absl::StrCat(" (", kMaxGrowth, " times as many)"), "."));
}

}  // namespace eyrie
