#include "tools/check/name_filter.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_split.h"
#include "base/glob.h"

namespace eyrie::tools {
namespace {

std::vector<std::string> Split(absl::string_view patterns) {
  return absl::StrSplit(patterns, ':', absl::SkipEmpty());
}

bool Matches(const std::vector<std::string>& patterns,
             const std::vector<std::string>& names) {
  return absl::c_any_of(patterns, [&](const std::string& pattern) {
    return absl::c_any_of(names, [&](const std::string& name) {
      return MatchesPattern(name, pattern);
    });
  });
}

}  // namespace

NameFilter::NameFilter(absl::string_view text) {
  const size_t dash = text.find('-');
  wanted_ = Split(text.substr(0, dash));
  if (dash != text.npos) unwanted_ = Split(text.substr(dash + 1));
  if (wanted_.empty() && (dash != text.npos || text.empty())) {
    wanted_.push_back("*");
  }
}

bool NameFilter::Takes(const std::vector<std::string>& names) const {
  return Matches(wanted_, names) && !Matches(unwanted_, names);
}

}  // namespace eyrie::tools
