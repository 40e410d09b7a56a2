#include "tools/bench_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxMessage = 500;       // bytes of a row's message
constexpr size_t kMaxRepetitions = 1000;  // of a row that are compared

constexpr std::pair<absl::string_view, double> kUnits[] = {
    {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
// Suffixes of rows that aggregate repetitions.
constexpr absl::string_view kAggregates[] = {"_mean", "_median", "_stddev",
                                             "_cv"};

std::optional<double> Seconds(double number, absl::string_view unit) {
  for (const auto& [name, seconds] : kUnits) {
    if (name == unit && std::isfinite(number) && number > 0) {
      return number * seconds;
    }
  }
  return std::nullopt;
}

absl::Status RowFailed(absl::string_view name, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat(PlainName(name), " fails: ", PlainText(why, kMaxMessage)));
}

double NumberOf(const Json& value) {
  switch (value.kind) {
    case Json::Kind::kInt:
      return static_cast<double>(value.integer);
    case Json::Kind::kUint:
      return static_cast<double>(value.natural);
    case Json::Kind::kFloat:
      return value.number;
    default:
      return 0;
  }
}

std::string TextOf(const Json& object, absl::string_view key) {
  const Json* const member = object.Find(key);
  return member == nullptr ? "" : member->text;
}

absl::StatusOr<std::vector<BenchRow>> ReadJsonRows(absl::string_view output) {
  ASSIGN_OR_RETURN(const Json report, ParseJson(output));
  std::vector<BenchRow> rows;
  const Json* const list = report.Find("benchmarks");
  if (list == nullptr) return rows;
  for (const Json& row : list->items) {
    if (TextOf(row, "run_type") == "aggregate") continue;
    const std::string name = TextOf(row, "name");
    const Json* const failed = row.Find("error_occurred");
    if (failed != nullptr && failed->boolean) {
      return RowFailed(name, TextOf(row, "error_message"));
    }
    const Json* const time = row.Find("real_time");
    const auto seconds = Seconds(time == nullptr ? 0 : NumberOf(*time),
                                 TextOf(row, "time_unit"));
    if (seconds.has_value()) rows.push_back({name, *seconds});
  }
  return rows;
}

absl::StatusOr<std::vector<BenchRow>> ReadTableRows(absl::string_view output) {
  std::vector<BenchRow> rows;
  for (const absl::string_view line : absl::StrSplit(output, '\n')) {
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.size() < 3) continue;
    if (words[1] == "ERROR" && words[2] == "OCCURRED:") {
      return RowFailed(words[0], line.substr(line.find("OCCURRED:") + 9));
    }
    const bool aggregate =
        absl::c_any_of(kAggregates, [&](absl::string_view ending) {
          return absl::EndsWith(words[0], ending);
        });
    double number = 0;
    if (aggregate || !absl::SimpleAtod(words[1], &number)) continue;
    if (number == 0) {
      return RowFailed(words[0], absl::StrCat(words[1], " ", words[2],
                                              " has too few digits; use "
                                              "--benchmark_format=json."));
    }
    const auto seconds = Seconds(number, words[2]);
    if (seconds.has_value()) {
      rows.push_back({std::string(words[0]), *seconds});
    }
  }
  return rows;
}

// "BM_add" of "BM_add/iterations:20/process_time/real_time".
absl::string_view FunctionOf(absl::string_view name) {
  return name.substr(0, name.find('/'));
}

// Merges rows of the same name into their median, in order.
std::vector<BenchRow> Merge(const std::vector<BenchRow>& rows) {
  std::vector<BenchRow> merged;
  std::map<std::string, std::vector<double>> seconds;
  for (const BenchRow& row : rows) {
    std::vector<double>& all = seconds[row.name];
    if (all.empty()) merged.push_back(row);
    all.push_back(row.seconds);
  }
  for (BenchRow& row : merged) {
    row.seconds = QuartilesOf(seconds[row.name]).middle;
  }
  return merged;
}

// Returns the index of the only row of a function, or nullopt if there are none
// or several.
std::optional<size_t> Partner(const BenchRow& row,
                              const std::vector<BenchRow>& rows) {
  std::optional<size_t> found;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].name == row.name) return i;
    if (FunctionOf(rows[i].name) != FunctionOf(row.name)) continue;
    if (found.has_value()) return std::nullopt;
    found = i;
  }
  return found;
}

// Returns the times of the repetitions of a row, at most kMaxRepetitions.
std::vector<double> SecondsOf(const std::vector<BenchRow>& rows,
                              const std::string& name) {
  std::vector<double> seconds;
  for (const BenchRow& row : rows) {
    if (row.name == name && seconds.size() < kMaxRepetitions) {
      seconds.push_back(row.seconds);
    }
  }
  return seconds;
}

}  // namespace

Quartiles QuartilesOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    const double place = part * static_cast<double>(values.size() - 1);
    const auto below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, values.size() - 1);
    return values[below] +
           (place - std::floor(place)) * (values[above] - values[below]);
  };
  return {at(0.25), at(0.5), at(0.75)};
}

absl::StatusOr<std::vector<BenchRow>> ReadBenchRows(absl::string_view output) {
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(output);
  ASSIGN_OR_RETURN(std::vector<BenchRow> rows, absl::StartsWith(text, "{")
                                                   ? ReadJsonRows(text)
                                                   : ReadTableRows(text));
  if (rows.empty()) {
    return absl::InvalidArgumentError(
        "There is no row of Google Benchmark, as a table or as JSON.");
  }
  return rows;
}

absl::StatusOr<std::vector<BenchComparison>> CompareBenchRows(
    const std::vector<BenchRow>& after, const std::vector<BenchRow>& before,
    std::vector<std::string>& alone) {
  const std::vector<BenchRow> ours = Merge(after);
  const std::vector<BenchRow> theirs = Merge(before);
  std::vector<bool> taken(theirs.size());
  std::vector<BenchComparison> rows;
  for (const BenchRow& row : ours) {
    std::optional<size_t> partner = Partner(row, theirs);
    if (ours.size() == 1 && theirs.size() == 1) partner = 0;
    if (!partner.has_value() || taken[*partner]) {
      alone.push_back(row.name);
      continue;
    }
    taken[*partner] = true;
    const BenchRow& other = theirs[*partner];
    const std::vector<double> olds = SecondsOf(before, other.name);
    std::vector<double> ratios;
    for (const double own : SecondsOf(after, row.name)) {
      for (const double old : olds) ratios.push_back(own / old);
    }
    rows.push_back({row.name, other.name, row.seconds, other.seconds,
                    QuartilesOf(std::move(ratios))});
  }
  for (size_t i = 0; i < theirs.size(); ++i) {
    if (!taken[i]) alone.push_back(theirs[i].name);
  }
  if (!rows.empty()) return rows;
  return absl::InvalidArgumentError(absl::StrCat(
      "No function has a row on both sides; their first rows are '",
      PlainName(ours.empty() ? "" : ours[0].name), "' and '",
      PlainName(theirs.empty() ? "" : theirs[0].name), "'."));
}

}  // namespace eyrie::tools
