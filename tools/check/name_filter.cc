#include "tools/check/name_filter.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_split.h"

namespace eyrie::tools {
namespace {

std::vector<std::string> Split(absl::string_view patterns) {
  return absl::StrSplit(patterns, ':', absl::SkipEmpty());
}

bool Matches(const std::vector<std::string>& patterns,
             const std::vector<std::string>& names) {
  return absl::c_any_of(patterns, [&](const std::string& pattern) {
    return absl::c_any_of(names, [&](const std::string& name) {
      return MatchesPattern(pattern, name);
    });
  });
}

}  // namespace

bool MatchesPattern(absl::string_view pattern, absl::string_view name) {
  size_t p = 0;
  size_t n = 0;
  size_t star = pattern.npos;  // index of the last '*' in the pattern
  size_t starred = 0;          // end of the text that it matches
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      starred = n;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++starred;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

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
