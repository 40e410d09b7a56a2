// The answer of `eyrie bisect`, as text, JSON and HTML.
//
// Tested by bisect_test.txt.
#ifndef EYRIE_TOOLS_BISECT_BISECT_REPORT_H_
#define EYRIE_TOOLS_BISECT_BISECT_REPORT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/text_stream.h"
#include "tools/bisect/finding.h"
#include "tools/inspect/report.h"

namespace eyrie::tools {

struct BisectReport {
  std::string good;  // "good.vmfb on local-sync"
  std::string bad;
  // How the results of both sides differ without a comparison of dispatches,
  // a sentence each; empty if they agree.
  std::vector<std::string> results;
  // With known values: which dispatch wrote a result that differs.
  std::vector<std::string> writers;
  std::string failure;  // why a side did not end; "" if both did
  // How the dispatches were compared: "in lockstep", or "by equal tensors,
  // because ...".
  std::string method;
  Comparison comparison;
  bool was_compared = false;  // the dispatches
  std::string reproducer;     // the folder; "" if there is none
  std::string no_reproducer;  // why there is none
  bool differs() const {
    return !results.empty() || !failure.empty() || !comparison.findings.empty();
  }
};

// Returns the answer in one sentence.
std::string AnswerOf(const BisectReport& report);

// Print the report. They return the sink's error.
absl::Status PrintBisectText(const BisectReport& report, bool all,
                             TextSink sink);
absl::Status PrintBisectJson(const BisectReport& report, TextSink sink);
// A page with the map of the bad module's dispatches.
absl::Status PrintBisectHtml(const BisectReport& report, const Report& bad,
                             TextSink sink);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BISECT_BISECT_REPORT_H_
