// How much of a campaign of random or exhaustive cases a test runs.
#ifndef EYRIE_TESTS_SUPPORT_CAMPAIGN_SIZE_H_
#define EYRIE_TESTS_SUPPORT_CAMPAIGN_SIZE_H_

#include <cstdlib>

#include "absl/strings/string_view.h"
#include "base/sanitized.h"

namespace eyrie::tests {

// Reports whether this is `./eyrie test --all`, which sets the variable.
inline bool RunsAll() {
  const char* const text = std::getenv("EYRIE_TESTS");
  return text != nullptr && absl::string_view(text) == "all";
}

// Returns `all` under `./eyrie test --all`, else `some`, but `sanitized` with a
// sanitizer, which takes up to ten times as long.
inline int CampaignSize(int some, int all, int sanitized) {
  if (kIsSanitized) return sanitized;
  return RunsAll() ? all : some;
}

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_CAMPAIGN_SIZE_H_
