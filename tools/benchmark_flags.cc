// The table of flags, and flags that this Google Benchmark lacks.
#include "tools/benchmark_flags.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/folders.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "base/system_error.h"
#include "tools/build_type.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr int64_t kMaxSeconds = 1'000'000;   // days of one row
constexpr int64_t kMaxRepetitions = 100000;  // it allocates memory for each

enum class Kind : uint8_t {
  kBool,
  kText,
  kColor,  // any text that is not empty
  kFormat,
  kUnit,
  kSeconds,
  kMinTime,  // seconds, or calls
  kCount,
  kPairs,
  kDryRun,  // newer than this Google Benchmark
};

constexpr struct Row {
  const char* name;  // after benchmark_
  Kind kind;
} kRows[] = {
    {"color", Kind::kColor},
    {"context", Kind::kPairs},
    {"counters_tabular", Kind::kBool},
    {"display_aggregates_only", Kind::kBool},
    {"dry_run", Kind::kDryRun},
    {"enable_random_interleaving", Kind::kBool},
    {"filter", Kind::kText},
    {"format", Kind::kFormat},
    {"list_tests", Kind::kBool},
    {"min_time", Kind::kMinTime},
    {"min_warmup_time", Kind::kSeconds},
    {"out", Kind::kText},
    {"out_format", Kind::kFormat},
    {"perf_counters", Kind::kText},
    {"repetitions", Kind::kCount},
    {"report_aggregates_only", Kind::kBool},
    {"time_unit", Kind::kUnit},
};

constexpr absl::string_view kPrefix = "--benchmark_";

// Returns the number of seconds in "0.2", "0.2s" or "200ms" as Google Benchmark
// reads it, or nullopt.
std::optional<std::string> SecondsIn(absl::string_view text) {
  double seconds = 0;
  absl::Duration duration;
  std::string plain(text);
  if (!absl::SimpleAtod(text, &seconds)) {
    if (!absl::ParseDuration(plain, &duration)) return std::nullopt;
    seconds = absl::ToDoubleSeconds(duration);
    plain = absl::StrFormat("%.9g", seconds);
  }
  if (seconds >= 0 && seconds <= static_cast<double>(kMaxSeconds)) return plain;
  return std::nullopt;
}

// Returns a description of valid values, or "" if the value is valid. kMinTime
// is checked in AddMinTime.
std::string Wanted(Kind kind, absl::string_view value) {
  bool is_true = false;
  int64_t count = 0;
  switch (kind) {
    case Kind::kBool:
    case Kind::kDryRun:
      return absl::SimpleAtob(value, &is_true) ? "" : "true or false";
    case Kind::kColor:
      return value.empty() ? "auto, true or false" : "";
    case Kind::kFormat:
      return value == "console" || value == "json" || value == "csv"
                 ? ""
                 : "console, json or csv";
    case Kind::kUnit:
      return value.empty() || value == "s" || value == "ms" || value == "us" ||
                     value == "ns"
                 ? ""
                 : "s, ms, us or ns";
    case Kind::kSeconds:
      return SecondsIn(value)
                 ? ""
                 : absl::StrCat("a number of seconds, 0 to ", kMaxSeconds);
    case Kind::kCount:
      return absl::SimpleAtoi(value, &count) && count >= 1 &&
                     count <= kMaxRepetitions
                 ? ""
                 : absl::StrCat("a number, 1 to ", kMaxRepetitions);
    case Kind::kPairs:
      return value.empty() || absl::StrContains(value, '=') ? "" : "key=value";
    case Kind::kText:
    case Kind::kMinTime:
      return "";
  }
  return "";
}

absl::Status Refused(const std::string& place, const std::string& value,
                     const std::string& wanted) {
  return UsageError(absl::StrCat(place, "='", value, "' is ", wanted, "."));
}

const Row* FindRow(absl::string_view name) {
  for (const Row& row : kRows) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

absl::Status Unknown(absl::string_view name) {
  std::vector<std::string> names;
  for (const Row& row : kRows) {
    names.push_back(absl::StrCat("benchmark_", row.name));
  }
  const std::string full = absl::StrCat("benchmark_", name);
  return UsageError(
      absl::StrCat("There is no flag --", full, ".", DidYouMean(full, names)));
}

absl::StatusOr<MeasureBenchmarksFunction> LoadPlugin() {
  ASSIGN_OR_RETURN(const std::string path, FindPlugin("benchmark"));
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const function =
      library == nullptr ? nullptr : dlsym(library, kMeasureBenchmarks);
  if (function == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("Google Benchmark cannot be loaded: ", dlerror(), "."));
  }
  return reinterpret_cast<MeasureBenchmarksFunction>(function);
}

// Keeps a status for the end. Returns its message for the plug-in, or null.
const char* Report(MeasuredRow::Caller& caller, absl::Status status) {
  if (status.ok()) [[likely]]
    return nullptr;
  caller.failure = std::move(status);
  caller.failure_text = std::string(caller.failure.message());
  return caller.failure_text.c_str();
}

// The functions of a row, for the plug-in.
const char* PrepareRow(void* self, int32_t caller) {
  MeasuredRow& row = *static_cast<MeasuredRow*>(self);
  const auto index = static_cast<size_t>(caller);
  row.callers[index].times = CallTimes();
  return Report(row.callers[index], row.prepare(caller));
}

const char* CallRow(void* self, int32_t caller) {
  MeasuredRow& row = *static_cast<MeasuredRow*>(self);
  const auto index = static_cast<size_t>(caller);
  if (!row.has_percentiles) {
    return Report(row.callers[index], row.call(caller));
  }
  const auto begin = std::chrono::steady_clock::now();
  absl::Status status = row.call(caller);
  const std::chrono::nanoseconds time =
      std::chrono::steady_clock::now() - begin;
  row.callers[index].times.Add(static_cast<uint64_t>(time.count()));
  return Report(row.callers[index], std::move(status));
}

// Adds the percentiles of all callers' times, in the row's unit.
void AddPercentiles(const MeasuredRow& row,
                    std::vector<BenchmarkCounter>& counters) {
  CallTimes all;
  for (const MeasuredRow::Caller& caller : row.callers) all.Add(caller.times);
  for (const auto& [name, share] :
       {std::pair{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"max", 1.0}}) {
    counters.push_back({name, all.Percentile(share) / NanosecondsOf(row.unit)});
  }
}

size_t CountRow(void* self, BenchmarkCounter* to) {
  const MeasuredRow& row = *static_cast<MeasuredRow*>(self);
  std::vector<BenchmarkCounter> counters;
  if (row.has_percentiles) AddPercentiles(row, counters);
  if (row.count) row.count(counters);
  const size_t size = std::min(counters.size(), kMaxBenchmarkCounters);
  std::copy_n(counters.begin(), size, to);
  return size;
}

}  // namespace

std::vector<std::string> BenchmarkFlagNames() {
  std::vector<std::string> names;
  for (const Row& row : kRows) {
    const bool is_bool = row.kind == Kind::kBool || row.kind == Kind::kDryRun;
    names.push_back(absl::StrCat(kPrefix, row.name, is_bool ? "" : "="));
  }
  return names;
}

absl::StatusOr<BenchmarkUnit> ParseUnit(absl::string_view text) {
  if (text == "ms") return BenchmarkUnit::kMillisecond;
  if (text == "us") return BenchmarkUnit::kMicrosecond;
  if (text == "ns") return BenchmarkUnit::kNanosecond;
  return UsageError(absl::StrCat("--time_unit='", text,
                                 "' is not valid; expected ms, us or ns."));
}

absl::StatusOr<BenchmarkFlags> BenchmarkFlags::Take(
    const char* program, std::vector<const char*>& args) {
  BenchmarkFlags flags;
  flags.flags_ = {program};
  for (const Row& row : kRows) {
    const std::string variable =
        absl::StrCat("BENCHMARK_", absl::AsciiStrToUpper(row.name));
    const char* const value = std::getenv(variable.c_str());
    if (value == nullptr) continue;
    RETURN_IF_ERROR(flags.Add(variable, row.name, value));
  }
  std::vector<const char*> others;
  bool is_over = false;  // modules follow "--"
  for (const char* arg : args) {
    absl::string_view text = arg;
    is_over |= text == "--";
    if (is_over || !absl::ConsumePrefix(&text, kPrefix)) {
      others.push_back(arg);
      continue;
    }
    const size_t equals = text.find('=');
    const std::string name(text.substr(0, equals));
    const Row* const row = FindRow(name);
    if (row == nullptr) return Unknown(name);
    std::string value = "true";
    if (equals != text.npos) {
      value = std::string(text.substr(equals + 1));
    } else if (row->kind != Kind::kBool && row->kind != Kind::kDryRun) {
      return UsageError(
          absl::StrCat("Flag ", arg, " takes a value: ", arg, "=..."));
    }
    RETURN_IF_ERROR(flags.Add(absl::StrCat(kPrefix, name), name, value));
  }
  args = std::move(others);
  if (flags.dry_run_) {
    for (const char* each :
         {"min_time=0", "min_warmup_time=0", "repetitions=1"}) {
      flags.flags_.push_back(absl::StrCat(kPrefix, each));
    }
    flags.iterations_ = 0;
  }
  return flags;
}

// `place` is the flag or the environment variable, for messages.
absl::Status BenchmarkFlags::Add(const std::string& place,
                                 const std::string& name,
                                 const std::string& value) {
  const Kind kind = FindRow(name)->kind;
  const std::string wanted = Wanted(kind, value);
  if (!wanted.empty()) {
    return Refused(place, value, absl::StrCat("not ", wanted));
  }
  if (kind == Kind::kMinTime) return AddMinTime(place, value);
  if (kind == Kind::kSeconds) {
    flags_.push_back(absl::StrCat(kPrefix, name, "=", *SecondsIn(value)));
    return absl::OkStatus();
  }
  if (kind == Kind::kDryRun) {
    dry_run_ = false;
    (void)absl::SimpleAtob(value, &dry_run_);  // already checked
    return absl::OkStatus();
  }
  if (name == "filter") filter_ = value;
  if (name == "format") format_ = value;
  if (name == "out") {
    out_ = value;
    return absl::OkStatus();
  }
  flags_.push_back(absl::StrCat(kPrefix, name, "=", value));
  return absl::OkStatus();
}

// This Google Benchmark does not know "0.2s" and "100x"; it takes seconds as a
// plain number. The rows count the calls themselves.
absl::Status BenchmarkFlags::AddMinTime(const std::string& place,
                                        const std::string& value) {
  absl::string_view text = value;
  iterations_ = 0;
  if (absl::ConsumeSuffix(&text, "x")) {
    if (absl::SimpleAtoi(text, &iterations_) && iterations_ >= 1 &&
        iterations_ <= kMaxIterations) {
      flags_.push_back(absl::StrCat(kPrefix, "min_time=0"));
      return absl::OkStatus();
    }
    return Refused(
        place, value,
        absl::StrCat("not a number of calls, 1 to ", kMaxIterations));
  }
  const std::optional<std::string> seconds = SecondsIn(text);
  if (!seconds) {
    return Refused(place, value,
                   absl::StrCat("neither a time of 0 to ", kMaxSeconds,
                                " seconds, such as 0.2s, nor a number of "
                                "calls, such as 100x"));
  }
  flags_.push_back(absl::StrCat(kPrefix, "min_time=", *seconds));
  return absl::OkStatus();
}

absl::Status BenchmarkFlags::OpenFile() {
  if (out_.empty()) return absl::OkStatus();
  file_ = std::make_unique<FileWriter>(out_);
  RETURN_IF_ERROR(file_->status());
  memory_.reset(memfd_create("benchmark_out", MFD_CLOEXEC));
  if (!memory_.is_open()) return SystemError("write", out_, errno);
  // Google Benchmark does not report errors of its file. A limit of sizes must
  // end the process, or the file would lack its end.
  std::signal(SIGXFSZ, SIG_DFL);
  flags_.push_back(absl::StrCat(kPrefix, "out=/proc/self/fd/", memory_.get()));
  return absl::OkStatus();
}

absl::Status BenchmarkFlags::WriteFile() {
  if (file_ == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto text, MappedFile::ReadAll(memory_.get(), out_));
  const auto bytes = text->bytes();
  const std::string rows =
      WithBuildType(std::string(bytes.begin(), bytes.end()));
  RETURN_IF_ERROR(file_->Write(
      {reinterpret_cast<const uint8_t*>(rows.data()), rows.size()}));
  return file_->Finish();
}

absl::Status BenchmarkFlags::MeasureRows(std::span<MeasuredRow> rows) {
  ASSIGN_OR_RETURN(const MeasureBenchmarksFunction measure, LoadPlugin());
  std::vector<BenchmarkRow> table;
  for (MeasuredRow& row : rows) {
    table.push_back({row.name.c_str(), row.unit, iterations_, row.batch,
                     row.items, static_cast<int32_t>(row.callers.size()), &row,
                     PrepareRow, CallRow, CountRow});
  }
  std::vector<const char*> flags;
  for (const std::string& flag : flags_) flags.push_back(flag.c_str());
  const char* unknown = nullptr;
  const int64_t count =
      measure(flags.data(), flags.size(), table.data(), table.size(), &unknown);
  for (const MeasuredRow& row : rows) {
    for (const MeasuredRow::Caller& caller : row.callers) {
      RETURN_IF_ERROR(caller.failure);
    }
  }
  if (count > 0) return WriteFile();
  if (count < 0) {
    return UsageError(
        absl::StrCat("Google Benchmark does not take ", unknown, "."));
  }
  return absl::NotFoundError(
      absl::StrCat("--benchmark_filter='", filter_,
                   "' matches no row; --benchmark_list_tests lists all."));
}

}  // namespace eyrie::tools
