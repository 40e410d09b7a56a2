// What benchmarks print, and how two of them compare.
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
  double seconds;  // of an iteration, on the wall
};

// Rows in their order; of repetitions each one, of their mean, median and so on
// none. INVALID_ARGUMENT: there is no row, or one says that it failed.
absl::StatusOr<std::vector<BenchRow>> ReadBenchRows(absl::string_view output);

// A row of ours and of the rival's, over all rounds.
struct BenchComparison {
  std::string name;
  std::string rival_name;
  double seconds = 0;  // median of the rounds
  double rival_seconds = 0;
  double ratio = 0;  // of the medians, ours by the rival's
  // Quartiles of the rounds' own ratios.
  double low = 0;
  double high = 0;
  size_t rounds = 0;
};

// What rounds gave. A row's partner is the one of the same function; where
// there is one row on each side, they are partners whatever their names.
class BenchRounds {
 public:
  // INVALID_ARGUMENT: no row has a partner.
  absl::Status Add(const std::vector<BenchRow>& ours,
                   const std::vector<BenchRow>& theirs);

  size_t size() const { return rounds_; }
  // In the order of our rows. Nothing before the first round.
  std::vector<BenchComparison> Summarize() const;
  // Names of rows of the first round that have no partner.
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

// The lower quartile, the median and the upper one, of at least one value.
struct Quartiles {
  double low;
  double middle;
  double high;
};
Quartiles QuartilesOf(std::vector<double> values);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_RIVAL_BENCH_ROWS_H_
