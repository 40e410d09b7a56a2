#include "tools/bench_versus.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/bench_table.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/usage_error.h"
#include "tools/versus.h"

namespace eyrie::tools {
namespace {

constexpr int64_t kMaxRounds = 10'000;

// INVALID_ARGUMENT: results are to be shown, but nothing is called.
absl::Status CheckNoResults(const Arguments& arguments, const char* flag) {
  if (!arguments.GetBool(kProcessOutputs)) return absl::OkStatus();
  return UsageError(absl::StrCat("--", kProcessOutputs,
                                 " cannot be combined with ", flag, "."));
}

// Returns this program and its arguments, for a process that prints rows as
// JSON and runs no rival.
std::vector<std::string> OwnCommand(std::span<const char* const> args) {
  std::vector<std::string> command = {"/proc/self/exe", "bench"};
  std::vector<std::string> more = {"--vs_side", "--benchmark_format=json",
                                   "--benchmark_out="};
  for (const char* arg : args) {
    if (absl::string_view(arg) == "--") {
      for (std::string& flag : more) command.push_back(std::move(flag));
      more.clear();
    }
    command.push_back(arg);
  }
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

// INVALID_ARGUMENT: an input cannot be read twice, or a flag has an invalid
// value.
absl::Status CheckVersus(const Arguments& arguments) {
  RETURN_IF_ERROR(CheckNoResults(arguments, "--vs"));
  if (absl::StripAsciiWhitespace(arguments.GetString("vs")).empty()) {
    return UsageError(
        "--vs='' is empty; expected a shell command that benchmarks another "
        "program.");
  }
  RETURN_IF_ERROR(ParseUnit(arguments.GetString("time_unit")).status());
  const int64_t rounds = arguments.GetInt("vs_rounds");
  if (rounds < 1 || rounds > kMaxRounds) {
    return UsageError(absl::StrCat("--vs_rounds=", rounds,
                                   " is not between 1 and ", kMaxRounds, "."));
  }
  for (const auto* list :
       {&arguments.GetList("module"), &arguments.positional()}) {
    if (absl::c_linear_search(*list, "-")) {
      return UsageError(
          "--vs reads a module several times, but standard input can be read "
          "only once; give the path of a file.");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<VersusResult> CompareWithRival(
    const Arguments& arguments, const BenchmarkFlags& flags,
    std::span<const char* const> args) {
  RETURN_IF_ERROR(CheckVersus(arguments));
  if (!flags.out().empty()) {
    return UsageError(
        absl::StrCat("--benchmark_out='", flags.out(),
                     "' cannot be combined with --vs; "
                     "--benchmark_format=json prints its table as JSON."));
  }
  VersusOptions options;
  options.ours = OwnCommand(args);
  options.rival = arguments.GetString("vs");
  options.rounds = arguments.GetInt("vs_rounds");
  options.unit = arguments.GetString("time_unit");
  options.json = flags.json();
  ASSIGN_OR_RETURN(VersusResult result, RunVersus(options));
  RETURN_IF_ERROR(WriteStdout(result.text));
  return result;
}

}  // namespace

int VersusMain(const Arguments& arguments, const BenchmarkFlags& flags,
               std::span<const char* const> args) {
  const absl::StatusOr<VersusResult> result =
      CompareWithRival(arguments, flags, args);
  if (!result.ok()) {
    const int code = ReportError(result.status());
    return absl::IsCancelled(result.status()) ? InterruptWatch::kExitCode
                                              : code;
  }
  for (const std::string& name : result->alone) {
    PrintNote(absl::StrCat("Only one side has the row ", PlainName(name), "."));
  }
  return result->interrupted ? InterruptWatch::kExitCode : 0;
}

absl::Status CompareFiles(const Arguments& arguments, bool json) {
  RETURN_IF_ERROR(CheckNoResults(arguments, "--compare"));
  // Flags of calls, of which there are none.
  for (const char* flag : {"function", "input", "args", "kwargs", "callers",
                           "device", "batch_size", "vs"}) {
    if (!arguments.IsSet(flag)) continue;
    return UsageError(
        absl::StrCat("--", flag, " cannot be combined with --compare."));
  }
  RETURN_IF_ERROR(ParseUnit(arguments.GetString("time_unit")).status());
  const std::vector<std::string>& paths = arguments.positional();
  if (paths.size() != 2 || !arguments.GetList("module").empty()) {
    return UsageError(
        absl::StrCat("--compare takes two files of benchmark output, not ",
                     paths.size() + arguments.GetList("module").size(), "."));
  }
  ASSIGN_OR_RETURN(const FileComparison comparison,
                   CompareBenchFiles(paths[0], paths[1],
                                     arguments.GetString("time_unit"), json));
  RETURN_IF_ERROR(WriteStdout(comparison.text));
  for (const std::string& name : comparison.alone) {
    PrintNote(absl::StrCat("Only one file has the row ", PlainName(name), "."));
  }
  return absl::OkStatus();
}

}  // namespace eyrie::tools
