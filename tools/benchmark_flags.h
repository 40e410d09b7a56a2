// Google Benchmark's flags, checked before it sees them.
//
// Of a value that it does not take it prints its usage and ends the process as
// if all were well, or it goes on, or throws.
// Tested by cli_test.txt, names_test.txt.
#ifndef EYRIE_TOOLS_BENCHMARK_FLAGS_H_
#define EYRIE_TOOLS_BENCHMARK_FLAGS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/descriptor.h"
#include "base/file_writer.h"

namespace eyrie::tools {

inline constexpr int64_t kMaxIterations = 1'000'000'000;  // of a row, its own

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

  // Hands the flags over, once and before rows are made. Fails as FileWriter
  // if the file of --benchmark_out cannot be written.
  absl::Status Initialize();
  // Measures the rows and writes the file of --benchmark_out. NOT_FOUND: the
  // filter leaves no row. Else as FileWriter.
  absl::Status MeasureRows();

 private:
  absl::Status Add(const std::string& place, const std::string& name,
                   const std::string& value);
  absl::Status AddMinTime(const std::string& place, const std::string& value);
  absl::Status OpenFile();
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
