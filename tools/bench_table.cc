#include "tools/bench_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::tools {
namespace {

constexpr ComparedSides kFiles = {"After", "Before", "", "before_"};
constexpr size_t kMaxPath = 1000;  // bytes

double UnitsPerSecond(absl::string_view unit) {
  return unit == "ns" ? 1e9 : unit == "us" ? 1e6 : 1e3;
}

absl::StatusOr<std::vector<BenchRow>> ReadRows(const std::string& path) {
  ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  const auto bytes = file->bytes();
  auto rows = ReadEachBenchRow(
      {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (rows.ok()) return rows;
  return Annotate(rows.status(), absl::StrCat("(file '", path, "')"));
}

std::string FilesJson(const std::string& before, const std::string& after) {
  std::string text = "{\n  \"context\": {\n    \"before\": ";
  AppendJsonString(PlainText(before, kMaxPath), text);
  text += ",\n    \"after\": ";
  AppendJsonString(PlainText(after, kMaxPath), text);
  return text + "\n  },\n";
}

}  // namespace

std::string ComparisonTable(const ComparedSides& sides,
                            std::span<const BenchComparison> rows,
                            const std::string& unit) {
  size_t width = 9;
  for (const BenchComparison& row : rows) {
    width = std::max(width, PlainName(row.name).size());
  }
  const int name = static_cast<int>(width);
  const std::string head =
      absl::StrFormat("%-*s %15s %15s   %s", name, "Benchmark", sides.first,
                      sides.second, "Ratio (quartiles)");
  const std::string rule(head.size() + 4, '-');
  std::string text = absl::StrCat(rule, "\n", head, "\n", rule, "\n");
  const double scale = UnitsPerSecond(unit);
  for (const BenchComparison& row : rows) {
    absl::StrAppendFormat(
        &text, "%-*s %12.4g %s %12.4g %s   %.3g (%.3g to %.3g)\n", name,
        PlainName(row.name), row.seconds * scale, unit,
        row.rival_seconds * scale, unit, row.ratio, row.low, row.high);
  }
  return text;
}

std::string ComparisonJson(const ComparedSides& sides,
                           std::span<const BenchComparison> rows,
                           const std::string& unit) {
  std::string text = "  \"benchmarks\": [";
  const double scale = UnitsPerSecond(unit);
  const char* comma = "";
  for (const BenchComparison& row : rows) {
    absl::StrAppend(&text, std::exchange(comma, ","), "\n    {\n      \"",
                    sides.first_key, "name\": ");
    AppendJsonString(row.name, text);
    absl::StrAppend(&text, ",\n      \"", sides.second_key, "name\": ");
    AppendJsonString(row.rival_name, text);
    absl::StrAppendFormat(&text,
                          ",\n      \"%sreal_time\": %.9g,\n"
                          "      \"%sreal_time\": %.9g,\n"
                          "      \"time_unit\": \"%s\",\n"
                          "      \"ratio\": %.9g,\n"
                          "      \"ratio_low\": %.9g,\n"
                          "      \"ratio_high\": %.9g\n    }",
                          sides.first_key, row.seconds * scale,
                          sides.second_key, row.rival_seconds * scale, unit,
                          row.ratio, row.low, row.high);
  }
  return text + "\n  ]";
}

absl::StatusOr<FileComparison> CompareBenchFiles(const std::string& before,
                                                 const std::string& after,
                                                 const std::string& unit,
                                                 bool json) {
  ASSIGN_OR_RETURN(const std::vector<BenchRow> old_rows, ReadRows(before));
  ASSIGN_OR_RETURN(const std::vector<BenchRow> new_rows, ReadRows(after));
  FileComparison comparison;
  ASSIGN_OR_RETURN(const std::vector<BenchComparison> rows,
                   CompareRepetitions(new_rows, old_rows, comparison.alone));
  comparison.text =
      json ? absl::StrCat(FilesJson(before, after),
                          ComparisonJson(kFiles, rows, unit), "\n}\n")
           : absl::StrCat(
                 "Medians of the runs. The ratio is the median of after / "
                 "before over all pairs of runs; below 1 the second file is "
                 "faster.\n",
                 ComparisonTable(kFiles, rows, unit));
  return comparison;
}

}  // namespace eyrie::tools
