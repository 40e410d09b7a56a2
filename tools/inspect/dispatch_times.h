// The time of each dispatch of a module, from a recording of its kernels.
//
// Tested by dispatch_times_test.cc.
#ifndef EYRIE_TOOLS_INSPECT_DISPATCH_TIMES_H_
#define EYRIE_TOOLS_INSPECT_DISPATCH_TIMES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/inspect/kernel_times.h"
#include "tools/inspect/report.h"

namespace eyrie::tools {

// Returns the nanoseconds of all runs of each dispatch, in the order of the
// report's; nullopt: its kernel was not recorded. The recorded runs of a kernel
// are taken for its places in the code in turn, if they are a multiple of
// these; otherwise the places have equal parts. So the sum over a kernel's
// places is right even if some did not run. Empty if nothing of the module was
// recorded.
std::vector<std::optional<double>> TimesOfDispatches(const Report& report,
                                                     const KernelTimes& times);

// The dispatches of one operation, such as "conv".
struct OperationTime {
  std::string name;
  double ns = 0;
  size_t dispatches = 0;
};

// Sums up Report::dispatch_ns by operation, the longest first.
std::vector<OperationTime> TimesByOperation(const Report& report);

// Return the sum and the largest of Report::dispatch_ns.
double TotalTime(const Report& report);
double LongestTime(const Report& report);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_DISPATCH_TIMES_H_
