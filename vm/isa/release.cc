#include "vm/isa/release.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace eyrie::vm {
namespace {

constexpr const char* kDatedReleases[] = {
    "20230209", "20230228", "20230404", "20230419", "20230524", "20230815",
    "20231004", "20231113", "20231218", "20240129", "20240226", "20240410",
    "20240621", "20240724", "20240828", "20241104", "2.9",      "3.0",
};
static_assert(std::size(kDatedReleases) == -kOldestRelease + 1);

}  // namespace

std::string ReleaseName(int release) {
  return release > 0 ? absl::StrCat("3.", release)
                     : kDatedReleases[release - kOldestRelease];
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
