// Prints results on stdout in GoogleTest's format.
//
// Output of modules goes to stderr, before the result of their test. A terminal
// also shows a progress line. Thread-compatible.
// Tested by check_test.txt.
#ifndef EYRIE_TOOLS_CHECK_CONSOLE_REPORT_H_
#define EYRIE_TOOLS_CHECK_CONSOLE_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "tools/check/test_plan.h"
#include "tools/check/test_record.h"
#include "tools/progress_line.h"

namespace eyrie::tools {

struct ConsoleOptions {
  bool color = false;
  bool print_time = true;
  bool brief = false;  // only failures and the summary
  size_t jobs = 1;     // shown in the first line if above 1
};

class ConsoleReport {
 public:
  ConsoleReport(const TestPlan& plan, const ConsoleOptions& options)
      : plan_(plan), options_(options) {}

  // `order` has the indices of the tests to run.
  void BeginRun(std::span<const size_t> order);
  void BeginTest(const Test& test);
  void EndTest(const TestRecord& record);
  // `disabled` is the number of disabled tests that were not run.
  void EndRun(std::span<const TestRecord> records, bool interrupted,
              size_t disabled);

  // Prints text to stdout between other lines.
  void Print(absl::string_view text);

 private:
  enum class Color : uint8_t { kNone, kGreen, kRed, kYellow };

  // "[  FAILED  ] " in colour.
  std::string Mark(absl::string_view text, Color color) const;
  void PrintLine(absl::string_view mark, Color color, absl::string_view text);
  std::string TimeText(absl::Duration elapsed, absl::string_view what) const;
  void EndSuite();
  void ListTests(std::span<const TestRecord> records, Verdict verdict,
                 absl::string_view mark, absl::string_view what);
  std::string ProgressText();

  const TestPlan& plan_;
  const ConsoleOptions options_;
  std::vector<size_t> sizes_;  // tests per suite in this run
  size_t suites_ = 0;          // number of suites with tests
  size_t total_ = 0;
  Deadline begin_;               // of the run
  std::optional<size_t> suite_;  // being reported
  Deadline suite_begin_;
  absl::Duration suite_elapsed_;  // sum of its tests

  std::mutex mutex_;  // guards the following, for the progress line
  std::string running_;
  Deadline running_since_;
  size_t ended_ = 0;
  size_t failed_ = 0;

  std::unique_ptr<ProgressLine> progress_;  // null outside of runs
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CHECK_CONSOLE_REPORT_H_
