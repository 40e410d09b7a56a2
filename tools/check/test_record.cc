#include "tools/check/test_record.h"

#include "absl/strings/str_cat.h"

namespace eyrie::tools {

std::vector<std::string> FailureTexts(const TestResult& result) {
  std::vector<std::string> texts;
  for (const FailedExpectation& failure : result.failures) {
    texts.push_back(absl::StrCat(failure.place,
                                 failure.place.empty() ? "" : ": ", "Failure\n",
                                 failure.text));
  }
  if (result.more_failures > 0) {
    texts.push_back(absl::StrCat("Failure\n", result.more_failures,
                                 " more expectations failed."));
  }
  if (!result.status.ok()) {
    texts.push_back(absl::StrCat("Failure\n",
                                 absl::StatusCodeToString(result.status.code()),
                                 ": ", result.status.message()));
  }
  return texts;
}

}  // namespace eyrie::tools
