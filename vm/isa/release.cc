#include "vm/isa/release.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace eyrie::vm {

std::string ReleaseName(int release) {
  switch (release) {
#define RELEASE(number, name, text) \
  case number:                      \
    return text;
#include "vm/isa/releases.def"
#undef RELEASE
    default:
      return absl::StrCat("3.", release);
  }
}

std::optional<int> FindRelease(absl::string_view name) {
  for (int release = kOldestRelease; release <= kNewestRelease; ++release) {
    if (ReleaseName(release) == name) return release;
  }
  return std::nullopt;
}

ReleaseRange ReleaseRange::And(const ReleaseRange& other) const {
  return {std::max(first, other.first), std::min(last, other.last)};
}

std::string ReleaseRange::ToString() const {
  if (empty()) return "none";
  if (first == last) return ReleaseName(first);
  return absl::StrCat(ReleaseName(first), " to ", ReleaseName(last));
}

}  // namespace eyrie::vm
