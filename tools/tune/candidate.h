// A module that one compiler made with one set of flags, and its figures.
#ifndef EYRIE_TOOLS_TUNE_CANDIDATE_H_
#define EYRIE_TOOLS_TUNE_CANDIDATE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/call/prepared_call.h"
#include "abi/call/session.h"
#include "tools/compiler/compiler.h"
#include "tools/compiler/flag_sets.h"

namespace eyrie::tools {

// The median of the ratios of turns, and the bounds between which it is with a
// confidence of 95%.
struct RatioEstimate {
  double low = 0;
  double middle = 0;
  double high = 0;
};

struct Candidate {
  const FlagSet* set = nullptr;
  const Compiler* compiler = nullptr;
  std::vector<std::string> flags;
  std::string path;  // of the module

  double compile_seconds = 0;
  uint64_t bytes = 0;   // of the file
  double load_ms = 0;   // reading, verifying, linking, initializers
  double first_ms = 0;  // the first call
  // Why it was not measured, or cannot be the fastest: "refused: ..."; or "".
  std::string note;

  // Null or empty if the module could not be compiled or called. The call must
  // be destroyed before its session.
  std::unique_ptr<abi::Session> session;
  std::optional<abi::PreparedCall> call;

  // The median time of a call in each turn.
  std::vector<double> turns_ms;
  double ms = 0;  // their median
  // The times of turns, divided by those of the first candidate that runs.
  RatioEstimate ratio;

  bool is_measured() const { return !turns_ms.empty(); }
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_TUNE_CANDIDATE_H_
