#include "base/suggest.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

namespace eyrie {

size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

std::string DidYouMean(absl::string_view name,
                       std::span<const std::string> candidates) {
  constexpr size_t kLongest = 64;  // longer names are not typed by hand
  if (name.size() > kLongest) return "";
  const std::string* nearest = nullptr;
  size_t distance = name.size() / 3 + 2;  // this far away is not similar
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const size_t d = EditDistance(name, candidate);
    if (d >= distance) continue;
    distance = d;
    nearest = &candidate;
  }
  if (nearest == nullptr) return "";
  return absl::StrCat(" Did you mean '", *nearest, "'?");
}

}  // namespace eyrie
