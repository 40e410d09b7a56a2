// `eyrie bench --vs='command'`: the same benchmark by another program, in turn.
//
// Both sides are processes, so that each begins as cold as the other; the one
// that begins changes from round to round: what else the machine does then
// falls on both.
// Tested by rival_test.txt.
#ifndef EYRIE_TOOLS_RIVAL_VERSUS_H_
#define EYRIE_TOOLS_RIVAL_VERSUS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::tools {

struct VersusOptions {
  std::vector<std::string> ours;  // a program and its arguments
  std::string rival;              // for sh
  int64_t rounds = 5;
  std::string unit = "ms";  // of the table: ms, us or ns
  bool json = false;
};

struct VersusResult {
  std::string text;  // a table, or JSON, of the rounds that were completed
  bool interrupted = false;
  std::vector<std::string> alone;  // rows without a partner
};

// Runs the rounds. The first interrupt ends them after what is known, and the
// side that runs, within seconds; a second one both and the process at once.
// INVALID_ARGUMENT: a side prints no rows, or they have no partners. ABORTED: a
// side ends with an error, whose last line is told. CANCELLED: interrupted
// before the first round was complete.
absl::StatusOr<VersusResult> RunVersus(const VersusOptions& options);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_RIVAL_VERSUS_H_
