// Prints the figures of candidates.
//
// Tested by tune_test.txt.
#ifndef EYRIE_TOOLS_TUNE_TUNE_REPORT_H_
#define EYRIE_TOOLS_TUNE_TUNE_REPORT_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/text_stream.h"
#include "tools/tune/candidate.h"

namespace eyrie::tools {

struct TuneReport {
  std::string model;
  std::span<const Candidate> candidates;
  // One of the candidates; null if none was measured.
  const Candidate* fastest = nullptr;
  // The commands that make the fastest again, as words.
  std::vector<std::vector<std::string>> commands;
  std::string output;  // the file of -o, or ""
};

// Prints a row for each candidate, then the fastest and its commands.
absl::Status PrintTuneText(const TuneReport& report, TextSink sink);
absl::Status PrintTuneJson(const TuneReport& report, TextSink sink);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_TUNE_TUNE_REPORT_H_
