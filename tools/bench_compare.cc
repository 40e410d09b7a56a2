#include "tools/bench_compare.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/bench_rows.h"
#include "tools/benchmark_flags.h"
#include "tools/command.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxPath = 1000;  // bytes

double UnitsPerSecond(absl::string_view unit) {
  return unit == "ns" ? 1e9 : unit == "us" ? 1e6 : 1e3;
}

absl::StatusOr<std::vector<BenchRow>> ReadRows(const std::string& path) {
  ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  const auto bytes = file->bytes();
  auto rows = ReadBenchRows(
      {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (rows.ok()) return rows;
  return Annotate(rows.status(), absl::StrCat("(file '", path, "')"));
}

std::string ComparisonTable(std::span<const BenchComparison> rows,
                            const std::string& unit) {
  size_t width = 0;
  for (const BenchComparison& row : rows) {
    width = std::max(width, PlainName(row.name).size());
  }
  std::string text =
      "Medians of the repetitions, and after / before; below 1 the second file "
      "is faster.\nHalf of all pairs of a repetition after and one before are "
      "in the last range.\n";
  const double scale = UnitsPerSecond(unit);
  for (const BenchComparison& row : rows) {
    absl::StrAppendFormat(
        &text,
        "%-*s  after %.4g %s  before %.4g %s  after/before %.3g  half of the "
        "pairs %.3g to %.3g\n",
        static_cast<int>(width), PlainName(row.name), row.seconds * scale, unit,
        row.before_seconds * scale, unit, row.ratio(), row.pairs.low,
        row.pairs.high);
  }
  return text;
}

std::string ComparisonJson(const std::string& before, const std::string& after,
                           std::span<const BenchComparison> rows,
                           const std::string& unit) {
  std::string text = "{\n  \"context\": {\n    \"before\": ";
  AppendJsonString(PlainText(before, kMaxPath), text);
  text += ",\n    \"after\": ";
  AppendJsonString(PlainText(after, kMaxPath), text);
  text += "\n  },\n  \"benchmarks\": [";
  const double scale = UnitsPerSecond(unit);
  const char* comma = "";
  for (const BenchComparison& row : rows) {
    absl::StrAppend(&text, std::exchange(comma, ","),
                    "\n    {\n      \"name\": ");
    AppendJsonString(row.name, text);
    text += ",\n      \"before_name\": ";
    AppendJsonString(row.before_name, text);
    absl::StrAppendFormat(&text,
                          ",\n      \"real_time\": %.9g,\n"
                          "      \"before_real_time\": %.9g,\n"
                          "      \"time_unit\": \"%s\",\n"
                          "      \"ratio\": %.9g,\n"
                          "      \"ratio_low\": %.9g,\n"
                          "      \"ratio_high\": %.9g\n    }",
                          row.seconds * scale, row.before_seconds * scale, unit,
                          row.ratio(), row.pairs.low, row.pairs.high);
  }
  return text + "\n  ]\n}\n";
}

// INVALID_ARGUMENT: there are not two files, or a flag of calls, of which there
// are none, is set.
absl::Status CheckFlags(const Arguments& arguments) {
  if (arguments.GetBool(kProcessOutputs)) {
    return UsageError(absl::StrCat("--", kProcessOutputs,
                                   " cannot be combined with --compare."));
  }
  for (const char* flag : {"function", "input", "args", "kwargs", "callers",
                           "device", "batch_size"}) {
    if (!arguments.IsSet(flag)) continue;
    return UsageError(
        absl::StrCat("--", flag, " cannot be combined with --compare."));
  }
  RETURN_IF_ERROR(ParseUnit(arguments.GetString("time_unit")).status());
  const size_t files =
      arguments.positional().size() + arguments.GetList("module").size();
  if (files == 2 && arguments.GetList("module").empty()) {
    return absl::OkStatus();
  }
  return UsageError(absl::StrCat(
      "--compare takes two files of benchmark output, not ", files, "."));
}

}  // namespace

absl::Status CompareFiles(const Arguments& arguments, bool json) {
  RETURN_IF_ERROR(CheckFlags(arguments));
  const std::string& before = arguments.positional()[0];
  const std::string& after = arguments.positional()[1];
  const std::string& unit = arguments.GetString("time_unit");
  ASSIGN_OR_RETURN(const std::vector<BenchRow> old_rows, ReadRows(before));
  ASSIGN_OR_RETURN(const std::vector<BenchRow> new_rows, ReadRows(after));
  std::vector<std::string> alone;
  ASSIGN_OR_RETURN(const std::vector<BenchComparison> rows,
                   CompareBenchRows(new_rows, old_rows, alone));
  RETURN_IF_ERROR(WriteStdout(json ? ComparisonJson(before, after, rows, unit)
                                   : ComparisonTable(rows, unit)));
  for (const std::string& name : alone) {
    PrintNote(absl::StrCat("Only one file has the row ", PlainName(name), "."));
  }
  return absl::OkStatus();
}

}  // namespace eyrie::tools
