// Finds the name that is nearest to a mistyped one.
//
// Tested by suggest_test.cc.
#ifndef EYRIE_BASE_SUGGEST_H_
#define EYRIE_BASE_SUGGEST_H_

#include <cstddef>
#include <span>
#include <string>

#include "absl/strings/string_view.h"

namespace eyrie {

// Insertions, deletions and substitutions that turn one text into the other.
size_t EditDistance(absl::string_view a, absl::string_view b);

// " Did you mean 'input'?", or "" if no candidate is near.
std::string DidYouMean(absl::string_view name,
                       std::span<const std::string> candidates);

}  // namespace eyrie

#endif  // EYRIE_BASE_SUGGEST_H_
