// Patterns of names: '*' matches any text, '?' any character.
//
// Tested by glob_test.cc.
#ifndef EYRIE_BASE_GLOB_H_
#define EYRIE_BASE_GLOB_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace eyrie {

// Reports whether all of `name` matches the pattern. The time is at most the
// product of the two lengths; needs no memory.
inline bool MatchesPattern(absl::string_view name, absl::string_view pattern) {
  size_t n = 0;
  size_t p = 0;
  // The position of the last '*', and the end of the text that it matches.
  size_t star = absl::string_view::npos;
  size_t taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == name[n])) {
      ++n;
      ++p;
    } else if (star != absl::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace eyrie

#endif  // EYRIE_BASE_GLOB_H_
