// The result of a test, compared with the expected one.
//
// Read by the reports: console_report.h, junit_report.h.
// Tested by check_test.txt.
#ifndef EYRIE_TOOLS_CHECK_TEST_RECORD_H_
#define EYRIE_TOOLS_CHECK_TEST_RECORD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tools/check/test_plan.h"
#include "tools/check/test_runner.h"

namespace eyrie::tools {

enum class Verdict : uint8_t {
  kPassed,
  kFailed,
  kExpectedFailure,
  kUnexpectedPass,  // counts as a failure
  kInterrupted,
};

struct TestRecord {
  const Test* test;
  Verdict verdict;
  TestResult result;
  std::string note;  // why the verdict differs from the result, or empty

  bool counts_as_failure() const {
    return verdict == Verdict::kFailed || verdict == Verdict::kUnexpectedPass;
  }
};

// Returns one paragraph per failure, "model.mlir:12:3: Failure\nExpected ...",
// and none for a test that passed.
std::vector<std::string> FailureTexts(const TestResult& result);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CHECK_TEST_RECORD_H_
