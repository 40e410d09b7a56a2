// Google Benchmark's flags, checked before it sees them.
//
// Of a value that it does not take it prints its usage and ends the process as
// if all were well, or it goes on, or throws.
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
#include "base/descriptor.h"
#include "base/file_writer.h"
#include "tools/benchmark_plugin.h"

namespace eyrie::tools {

inline constexpr int64_t kMaxIterations = 1'000'000'000;  // of a row, its own

// A row of the table: what is called in a loop.
struct MeasuredRow {
  std::string name;
  BenchmarkUnit unit = BenchmarkUnit::kMillisecond;
  int64_t batch = 1;                      // iterations that one call counts for
  double items = 1;                       // of an iteration
  std::function<absl::Status()> prepare;  // called before the row is measured
  std::function<absl::Status()> call;
  absl::Status failure;  // of either, which ends the row
  std::string failure_text;
};

class BenchmarkFlags {
 public:
  // Takes --benchmark_... out of `args`; what variables such as
  // BENCHMARK_FILTER say counts before them. INVALID_ARGUMENT: there is no such
  // flag, or a value is none of its own.
  static absl::StatusOr<BenchmarkFlags> Take(const char* program,
                                             std::vector<const char*>& args);

  // Calls of a row; 0: as many as Google Benchmark wants.
  int64_t iterations() const { return iterations_; }
  // The format of what is printed.
  bool json() const { return json_; }
  // The file of --benchmark_out; empty: none.
  const std::string& out() const { return out_; }

  // Opens the file of --benchmark_out, before there is anything to write.
  // Fails as FileWriter if it cannot be written.
  absl::Status OpenFile();
  // Measures the rows, once in a process, and writes the file of
  // --benchmark_out. Returns the first failure of a row, NOT_FOUND if the
  // filter leaves no row or libeyrie_benchmark.so is nowhere, or
  // FAILED_PRECONDITION if that cannot be loaded; else fails as FileWriter.
  absl::Status MeasureRows(std::span<MeasuredRow> rows);

 private:
  absl::Status Add(const std::string& place, const std::string& name,
                   const std::string& value);
  absl::Status AddMinTime(const std::string& place, const std::string& value);
  absl::Status WriteFile();

  std::vector<std::string> flags_;  // the first is the program's name
  std::string filter_;
  // --benchmark_out: Google Benchmark empties its file before it measures, and
  // does not see that a disk is full, so that it writes to memory instead.
  std::string out_;
  std::unique_ptr<FileWriter> file_;
  Descriptor memory_;
  int64_t iterations_ = 0;
  bool json_ = false;
  bool dry_run_ = false;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BENCHMARK_FLAGS_H_
