// Finds the name that is most similar to a mistyped one.
//
// Tested by suggest_test.cc.
#ifndef EYRIE_BASE_SUGGEST_H_
#define EYRIE_BASE_SUGGEST_H_

#include <cstddef>
#include <span>
#include <string>

#include "absl/strings/string_view.h"

namespace eyrie {

// Returns the least number of insertions, deletions and substitutions of bytes
// that turn one text into the other.
size_t EditDistance(absl::string_view a, absl::string_view b);

// Returns " Did you mean 'input'?", or "" if no candidate is similar.
std::string DidYouMean(absl::string_view name,
                       std::span<const std::string> candidates);

}  // namespace eyrie

#endif  // EYRIE_BASE_SUGGEST_H_
