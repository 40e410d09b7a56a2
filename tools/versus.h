// `eyrie bench --vs='command'`: compares with the same benchmark in another
// program.
//
// Both sides run in new processes, so that both start cold. The side that runs
// first alternates, so that other load on the machine affects both.
// Tested by tools/rival/rival_test.txt.
#ifndef EYRIE_TOOLS_VERSUS_H_
#define EYRIE_TOOLS_VERSUS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::tools {

struct VersusOptions {
  std::vector<std::string> ours;  // the program and its arguments
  std::string rival;              // a shell command
  int64_t rounds = 5;
  std::string unit = "ms";  // of the table: ms, us or ns
  bool json = false;
};

struct VersusResult {
  std::string text;  // a table or JSON of the completed rounds
  bool interrupted = false;
  std::vector<std::string> alone;  // rows without a partner
};

// Runs the rounds. The first interrupt stops the running side within seconds
// and returns the completed rounds. A second interrupt ends both processes
// immediately. INVALID_ARGUMENT: a side prints no rows, or no rows are
// partners. ABORTED: a side fails; the message has the last line of its errors.
// CANCELLED: interrupted before the first round was complete.
absl::StatusOr<VersusResult> RunVersus(const VersusOptions& options);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_VERSUS_H_
