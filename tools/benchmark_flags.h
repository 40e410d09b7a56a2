// Google Benchmark's flags, checked before it sees them.
//
// Of a value that it does not take it prints its usage and ends the process as
// if all were well, or it goes on, or throws.
// Tested by cli_test.txt, names_test.txt.
#ifndef EYRIE_TOOLS_BENCHMARK_FLAGS_H_
#define EYRIE_TOOLS_BENCHMARK_FLAGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

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

  // Hands the flags over, once and before rows are made.
  absl::Status Initialize();
  // Measures the rows. NOT_FOUND: the filter leaves none of them.
  absl::Status MeasureRows() const;

 private:
  absl::Status Add(const std::string& place, const std::string& name,
                   const std::string& value);
  absl::Status AddMinTime(const std::string& place, const std::string& value);

  std::vector<std::string> flags_;  // the first is the program's name
  std::string filter_;
  int64_t iterations_ = 0;
  bool json_ = false;
  bool dry_run_ = false;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BENCHMARK_FLAGS_H_
