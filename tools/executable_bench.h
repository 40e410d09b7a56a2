// `eyrie bench executable`: measures dispatches of one kernel without a module.
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

// Returns the flags of this mode.
std::span<const Flag> ExecutableFlags();

// Measures one row per --workgroup_count. INVALID_ARGUMENT: a flag is
// malformed. Otherwise fails as MeasureRows does, or as the device does when it
// loads or runs the executable.
absl::Status BenchExecutable(const Arguments& arguments, BenchmarkFlags& flags);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_EXECUTABLE_BENCH_H_
