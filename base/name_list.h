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

// Returns "a, b and 3 more": the first `max` of `count` names. `name` returns
// the name at an index, which must be safe to print in a sentence.
template <typename NameOf>
std::string ListNames(size_t count, const NameOf& name, size_t max = 20) {
  std::string text;
  for (size_t i = 0; i < std::min(count, max); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", name(i));
  }
  if (count > max) absl::StrAppend(&text, " and ", count - max, " more");
  return text;
}

// Does the same for names from a file: applies PlainName() and adds quotes.
inline std::string QuotedNames(std::span<const std::string> names,
                               size_t max = 20) {
  return ListNames(
      names.size(),
      [&](size_t i) { return absl::StrCat("'", PlainName(names[i]), "'"); },
      max);
}

}  // namespace eyrie

#endif  // EYRIE_BASE_NAME_LIST_H_
