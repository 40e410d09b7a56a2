// `eyrie bench executable`: how long dispatches of one kernel take, without a
// module around them.
//
// Tested by names_test.txt.
#ifndef EYRIE_TOOLS_EXECUTABLE_BENCH_H_
#define EYRIE_TOOLS_EXECUTABLE_BENCH_H_

#include <span>

#include "absl/status/status.h"
#include "tools/arg_parser.h"
#include "tools/benchmark_flags.h"

namespace eyrie::tools {

extern const char kExecutableUsage[];

// The rows of its own flags.
std::span<const Flag> ExecutableFlags();

// Measures a row for each --workgroup_count with Google Benchmark, which has
// its flags. INVALID_ARGUMENT: flags that are malformed; else as MeasureRows,
// or as a device fails to load the executable or to run it.
absl::Status BenchExecutable(const Arguments& arguments, BenchmarkFlags& flags);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_EXECUTABLE_BENCH_H_
