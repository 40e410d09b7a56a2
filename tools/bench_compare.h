// `eyrie bench --compare`: prints the ratios of two files of benchmark output.
//
// Tested by cli_test.txt, names_test.txt.
#ifndef EYRIE_TOOLS_BENCH_COMPARE_H_
#define EYRIE_TOOLS_BENCH_COMPARE_H_

#include "absl/status/status.h"
#include "tools/arg_parser.h"

namespace eyrie::tools {

// The flag that shows results after the rows.
inline constexpr char kProcessOutputs[] = "enable_output_processing";

// Compares the two files of Google Benchmark's output that are given in place
// of modules: divides the times of the second by those of the first. Prints a
// table, or JSON. INVALID_ARGUMENT: there are not two files, a flag has no
// effect, a file has no rows, or no rows are partners. NOT_FOUND: a file cannot
// be read.
absl::Status CompareFiles(const Arguments& arguments, bool json);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BENCH_COMPARE_H_
