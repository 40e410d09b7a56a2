// A file that lists tests known to fail: --xfail.
//
//   # Comments, and empty lines, are for the reader.
//   module.function   why it fails
//   */local-task.*    a pattern, as in filters, then the reason, if any
// Tested by expected_failures_test.cc, check_test.txt.
#ifndef EYRIE_TOOLS_CHECK_EXPECTED_FAILURES_H_
#define EYRIE_TOOLS_CHECK_EXPECTED_FAILURES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::tools {

struct ExpectedFailure {
  std::string pattern;
  std::string reason;  // may be empty
  std::string place;   // "xfail.txt:3"
};

// Immutable.
class ExpectedFailures {
 public:
  ExpectedFailures() = default;  // none

  // Fails as MappedFile::Open and Parse do.
  static absl::StatusOr<ExpectedFailures> Read(const std::string& path);
  // `path` is for messages. INVALID_ARGUMENT: a pattern has a byte that test
  // names never contain; the file is probably not text.
  static absl::StatusOr<ExpectedFailures> Parse(absl::string_view text,
                                                const std::string& path);

  // Returns the first line that matches one of a test's names, or nullptr.
  const ExpectedFailure* Find(const std::vector<std::string>& names) const;

  const std::vector<ExpectedFailure>& lines() const { return lines_; }

 private:
  std::vector<ExpectedFailure> lines_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CHECK_EXPECTED_FAILURES_H_
