// Prints comparisons of benchmarks as a table or as JSON.
//
// Tested by tools/rival/rival_test.txt, cli_test.txt.
#ifndef EYRIE_TOOLS_BENCH_TABLE_H_
#define EYRIE_TOOLS_BENCH_TABLE_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/rival/bench_rows.h"

namespace eyrie::tools {

// The two sides of a comparison; the ratio is that of the first side to the
// second.
struct ComparedSides {
  const char* first;   // heads a column: "Ours"
  const char* second;  // "Rival"
  // Prefixes of the keys in JSON: "" and "rival_".
  const char* first_key;
  const char* second_key;
};

// `unit` is ms, us or ns.
std::string ComparisonTable(const ComparedSides& sides,
                            std::span<const BenchComparison> rows,
                            const std::string& unit);
// Returns the member "benchmarks" of a JSON object.
std::string ComparisonJson(const ComparedSides& sides,
                           std::span<const BenchComparison> rows,
                           const std::string& unit);

struct FileComparison {
  std::string text;                // a table, or JSON
  std::vector<std::string> alone;  // rows without a partner
};

// Compares two files of Google Benchmark's output: divides the times of `after`
// by those of `before`. NOT_FOUND: a file cannot be read. INVALID_ARGUMENT: a
// file has no rows, or no rows are partners.
absl::StatusOr<FileComparison> CompareBenchFiles(const std::string& before,
                                                 const std::string& after,
                                                 const std::string& unit,
                                                 bool json);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BENCH_TABLE_H_
