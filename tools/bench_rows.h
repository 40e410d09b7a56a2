// Reads the output of benchmarks, and compares two of them.
//
// Rows are Google Benchmark's, as a table or as JSON:
//   BM_add/process_time/real_time      1.76 us         1.77 us       398211
// Tested by bench_rows_test.cc.
#ifndef EYRIE_TOOLS_BENCH_ROWS_H_
#define EYRIE_TOOLS_BENCH_ROWS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::tools {

struct BenchRow {
  std::string name;
  double seconds;  // wall time per iteration
};

// Returns the rows in order, with each repetition, but without aggregates such
// as mean and median. Several tables may follow each other. INVALID_ARGUMENT:
// there is no row, or a row reports an error.
absl::StatusOr<std::vector<BenchRow>> ReadBenchRows(absl::string_view output);

struct Quartiles {
  double low = 0;
  double middle = 0;  // the median
  double high = 0;
};
// `values` must not be empty.
Quartiles QuartilesOf(std::vector<double> values);

// The times of a function after a change and before it.
struct BenchComparison {
  std::string name;
  std::string before_name;
  double seconds = 0;  // median of the repetitions
  double before_seconds = 0;
  Quartiles pairs;  // after divided by before, of all pairs of repetitions

  // Returns after divided by before, of the two medians.
  double ratio() const { return seconds / before_seconds; }
};

// Compares the rows of two runs. Two rows of the same function are partners; if
// each run has only one row, these are partners whatever their names are. Adds
// the names of rows without a partner to `alone`. INVALID_ARGUMENT: no row has
// a partner.
absl::StatusOr<std::vector<BenchComparison>> CompareBenchRows(
    const std::vector<BenchRow>& after, const std::vector<BenchRow>& before,
    std::vector<std::string>& alone);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BENCH_ROWS_H_
