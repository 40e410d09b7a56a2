// Formats lists of names for messages, at a bounded length.
//
// Tested by plain_text_test.cc.
#ifndef EYRIE_BASE_NAME_LIST_H_
#define EYRIE_BASE_NAME_LIST_H_

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/plain_text.h"

namespace eyrie {

// Returns "a, b and 3 more": the first 20 of `count` names. `name` returns the
// name at an index, which must be safe to print in a sentence.
template <typename NameOf>
std::string ListNames(size_t count, const NameOf& name) {
  constexpr size_t kMax = 20;
  std::string text;
  for (size_t i = 0; i < std::min(count, kMax); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", name(i));
  }
  if (count > kMax) absl::StrAppend(&text, " and ", count - kMax, " more");
  return text;
}

// Does the same for names from a file: applies PlainName() and adds quotes.
inline std::string QuotedNames(std::span<const std::string> names) {
  return ListNames(names.size(), [&](size_t i) {
    return absl::StrCat("'", PlainName(names[i]), "'");
  });
}

}  // namespace eyrie

#endif  // EYRIE_BASE_NAME_LIST_H_
