// Checks Google Benchmark's flags before they are passed on.
//
// For an invalid value, Google Benchmark itself prints its usage and exits with
// code 0, ignores the value, or throws.
// Tested by cli_test.txt, names_test.txt.
#ifndef EYRIE_TOOLS_BENCHMARK_FLAGS_H_
#define EYRIE_TOOLS_BENCHMARK_FLAGS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/descriptor.h"
#include "base/file_writer.h"
#include "tools/benchmark_plugin.h"
#include "tools/call_times.h"

namespace eyrie::tools {

inline constexpr int64_t kMaxIterations =
    1'000'000'000;  // of a row, in Google Benchmark

inline constexpr size_t kMaxOwnCounters = 4;

// A row of the table: a function that is called in a loop.
struct MeasuredRow {
  std::string name;
  BenchmarkUnit unit = BenchmarkUnit::kMillisecond;
  int64_t batch = 1;  // iterations per call
  double items = 1;   // per iteration
  // Called by each caller before the row is measured.
  std::function<absl::Status(int caller)> prepare;
  std::function<absl::Status(int caller)> call;
  bool has_percentiles = false;  // print them
  // Adds further counters of the row, at most kMaxOwnCounters. May be empty.
  std::function<void(std::vector<BenchmarkCounter>& counters)> count;

  // The measurements of one of the threads that call at the same time.
  struct Caller {
    absl::Status failure;  // of `prepare` or `call`; ends the row
    std::string failure_text;
    CallTimes times;  // only if has_percentiles
  };
  std::vector<Caller> callers = std::vector<Caller>(1);
};

// Returns the nanoseconds of a unit.
constexpr double NanosecondsOf(BenchmarkUnit unit) {
  return unit == BenchmarkUnit::kNanosecond    ? 1
         : unit == BenchmarkUnit::kMicrosecond ? 1e3
                                               : 1e6;
}

// Reads --time_unit. INVALID_ARGUMENT: it is not ms, us or ns.
absl::StatusOr<BenchmarkUnit> ParseUnit(absl::string_view text);

// Returns the flags that Take removes, as "--benchmark_filter=".
std::vector<std::string> BenchmarkFlagNames();

class BenchmarkFlags {
 public:
  // Removes --benchmark_... flags from `args`. They override environment
  // variables such as BENCHMARK_FILTER. INVALID_ARGUMENT: a flag is unknown or
  // its value is invalid.
  static absl::StatusOr<BenchmarkFlags> Take(const char* program,
                                             std::vector<const char*>& args);

  // The number of calls of a row; 0: Google Benchmark decides.
  int64_t iterations() const { return iterations_; }
  // Returns the format of the rows on stdout: "console", "json" or "csv".
  const std::string& format() const { return format_; }
  // Reports whether that is JSON.
  bool json() const { return format_ == "json"; }
  // The path of --benchmark_out, or "".
  const std::string& out() const { return out_; }

  // Opens the file of --benchmark_out, if given. Fails as FileWriter does.
  absl::Status OpenFile();
  // Measures the rows and writes the file of --benchmark_out. Must be called at
  // most once per process. Returns the first failure of a row. NOT_FOUND: the
  // filter matches no row, or libeyrie_benchmark.so is not found.
  // FAILED_PRECONDITION: the library cannot be loaded. Otherwise fails as
  // FileWriter does.
  absl::Status MeasureRows(std::span<MeasuredRow> rows);

 private:
  absl::Status Add(const std::string& place, const std::string& name,
                   const std::string& value);
  absl::Status AddMinTime(const std::string& place, const std::string& value);
  absl::Status WriteFile();

  std::vector<std::string> flags_;  // the first is the program's name
  std::string filter_;
  // --benchmark_out: Google Benchmark truncates its file before it measures and
  // does not notice a full disk. So it writes to memory, which is then copied.
  std::string out_;
  std::unique_ptr<FileWriter> file_;
  Descriptor memory_;
  int64_t iterations_ = 0;
  std::string format_ = "console";
  bool dry_run_ = false;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BENCHMARK_FLAGS_H_
