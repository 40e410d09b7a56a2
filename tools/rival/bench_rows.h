// Reads the output of benchmarks, and compares two of them.
//
// Rows are Google Benchmark's, as a table or as JSON:
//   BM_add/process_time/real_time      1.76 us         1.77 us       398211
// Tested by bench_rows_test.cc.
#ifndef EYRIE_TOOLS_RIVAL_BENCH_ROWS_H_
#define EYRIE_TOOLS_RIVAL_BENCH_ROWS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::tools {

struct BenchRow {
  std::string name;
  double seconds;  // wall time per iteration
};

// Returns the rows in order, with each repetition, but without aggregates such
// as mean and median. INVALID_ARGUMENT: there is no row, or a row reports an
// error.
absl::StatusOr<std::vector<BenchRow>> ReadEachBenchRow(
    absl::string_view output);
// Returns one row for the repetitions of each row, with their median. Fails as
// ReadEachBenchRow does.
absl::StatusOr<std::vector<BenchRow>> ReadBenchRows(absl::string_view output);

// The result of a row and its counterpart over all rounds.
struct BenchComparison {
  std::string name;
  std::string rival_name;
  double seconds = 0;  // median over the rounds
  double rival_seconds = 0;
  // Median and quartiles of the ratios per round, ours divided by the rival's.
  double ratio = 0;
  double low = 0;
  double high = 0;
  size_t rounds = 0;
};

// Collects the rows of all rounds. Two rows of the same function are partners.
// If each side has only one row, these are partners regardless of their names.
class BenchRounds {
 public:
  // INVALID_ARGUMENT: no row has a partner.
  absl::Status Add(const std::vector<BenchRow>& ours,
                   const std::vector<BenchRow>& theirs);

  size_t size() const { return rounds_; }
  // Returns the comparisons in the order of our rows. Empty before the first
  // round.
  std::vector<BenchComparison> Summarize() const;
  // The names of rows of the first round without a partner.
  const std::vector<std::string>& alone() const { return alone_; }

 private:
  struct Pair {
    std::string name;
    std::string rival_name;
    std::vector<double> ours;  // by round
    std::vector<double> theirs;
  };

  size_t rounds_ = 0;
  std::vector<Pair> pairs_;
  std::vector<std::string> alone_;
};

// The lower quartile, median and upper quartile. `values` must not be empty.
struct Quartiles {
  double low;
  double middle;
  double high;
};
Quartiles QuartilesOf(std::vector<double> values);

// Compares the rows of two runs that were not made in turn. The ratio and its
// quartiles are those of all pairs of a repetition of ours and one of theirs.
// Adds the names of rows without a partner to `alone`. INVALID_ARGUMENT: no row
// has a partner.
absl::StatusOr<std::vector<BenchComparison>> CompareRepetitions(
    const std::vector<BenchRow>& ours, const std::vector<BenchRow>& theirs,
    std::vector<std::string>& alone);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_RIVAL_BENCH_ROWS_H_
