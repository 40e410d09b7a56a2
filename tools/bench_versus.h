// `eyrie bench --vs` and `--compare`: rows beside those of another program or
// of an earlier run.
//
// Tested by cli_test.txt, names_test.txt, rival_test.txt.
#ifndef EYRIE_TOOLS_BENCH_VERSUS_H_
#define EYRIE_TOOLS_BENCH_VERSUS_H_

#include <span>

#include "absl/status/status.h"
#include "tools/arg_parser.h"
#include "tools/benchmark_flags.h"

namespace eyrie::tools {

// The flag that shows results after the rows.
inline constexpr char kProcessOutputs[] = "enable_output_processing";

// Runs --vs. `args` are the arguments of `eyrie bench`. Reports errors itself
// and returns the exit code.
int VersusMain(const Arguments& arguments, const BenchmarkFlags& flags,
               std::span<const char* const> args);

// Prints a comparison of the two files that are given in place of modules.
// INVALID_ARGUMENT: there are not two, or a flag has no effect. Otherwise fails
// as CompareBenchFiles does.
absl::Status CompareFiles(const Arguments& arguments, bool json);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BENCH_VERSUS_H_
