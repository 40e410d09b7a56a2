// Measures a function's dispatches in a few calls, for `eyrie inspect --input`.
//
// Tested by inspect_test.txt.
#ifndef EYRIE_TOOLS_INSPECT_MEASURE_H_
#define EYRIE_TOOLS_INSPECT_MEASURE_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/arg_parser.h"
#include "tools/inspect/kernel_times.h"

namespace eyrie::tools {

struct Measurement {
  KernelTimes times;  // of the fastest call
  double ns = 0;      // the time of that call
  // "predict(4xf32) on local-sync, the fastest of 10 calls"
  std::string what;
};

// Calls the function of the flags with the inputs of the flags, within their
// limits: at most 10 times, and not again after a second. Fails as `eyrie run`
// would.
absl::StatusOr<Measurement> Measure(const Arguments& arguments);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_MEASURE_H_
