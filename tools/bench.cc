// `eyrie bench`: measures calls of a module's functions with Google Benchmark.
// Rows and flags are those of the public benchmark tool.
//
// Modules, context and inputs are created once. The loop contains only the
// call, and the first call is not measured.
// Tested by cli_test.py.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/prepared_call.h"
#include "abi/call/session.h"
#include "abi/call/value_writer.h"
#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/arg_parser.h"
#include "tools/bench_compare.h"
#include "tools/benchmark_flags.h"
#include "tools/command.h"
#include "tools/device_flags.h"
#include "tools/executable_bench.h"
#include "tools/interrupt.h"
#include "tools/load_flags.h"
#include "tools/native_flags.h"
#include "tools/result_flags.h"
#include "tools/trace_flags.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr char kProgram[] = "eyrie bench";  // in Google Benchmark's output

constexpr char kBenchUsage[] =
    "# Usage: eyrie bench [flags] model.vmfb\n"
    "# Measures how long calls of a compiled module take.\n"
    "#   eyrie bench model.vmfb --function=predict --input=1x3x224x224xf32\n"
    "#   eyrie bench executable --help: measures a kernel without a module.\n"
    "# All --benchmark_... flags of Google Benchmark are accepted.\n\n";

constexpr Flag kBenchFlags[] = {
    Heading("Measurement"),
    {"time_unit", FlagKind::kString, "ms", "ms, us or ns."},
    {"batch_size", FlagKind::kInt, "1",
     "Number of items that one call processes; times are divided by it."},
    {"batch_concurrency", FlagKind::kInt, "1", ""},  // refused, except for 1
    {"callers", FlagKind::kInt, "1",
     "Number of threads that call at the same time, each with its own context."
     "\n"
     "The time of a row is the time of the run divided by the calls of all\n"
     "threads; p50, p90, p99 and max are times of single calls."},
    {"percentiles", FlagKind::kBool, "false",
     "Prints p50, p90, p99 and max of the times of calls, in the unit of the\n"
     "row. Always set with several --callers."},
    {"startup", FlagKind::kBool, "false",
     "Prints, in the unit of the row, the time to load the modules and open "
     "the\n"
     "devices (load) and that of the first call (first_call), and the most\n"
     "memory that this process has used in bytes (peak_memory)."},
    {"compare", FlagKind::kBool, "false",
     "Compares two files of an earlier run's rows, of\n"
     "--benchmark_out=before.json, and measures nothing:\n"
     "  eyrie bench --compare before.json after.json"},
    {kProcessOutputs, FlagKind::kBool, "false",
     "Prints, writes or compares the results of the last call, as --output "
     "and\n"
     "--expected_output say, after the rows. Needs one function and one "
     "caller.\n"
     "Without it these flags have no effect."},
};

constexpr int64_t kMaxCallers = 1000;

// Returns calls of --function or, without it, of every function without
// arguments.
absl::StatusOr<std::vector<abi::PreparedCall>> PrepareCalls(
    const Arguments& arguments, abi::Session& session) {
  std::vector<abi::PreparedCall> calls;
  const std::vector<vm::Function> functions = session.Functions();
  const std::string& name = arguments.GetString("function");
  if (!name.empty() || functions.size() == 1) {
    ASSIGN_OR_RETURN(abi::Callable function, session.Lookup(name));
    ASSIGN_OR_RETURN(std::vector<vm::Value> inputs,
                     ReadInputs(arguments, function, session.devices()[0]));
    ASSIGN_OR_RETURN(
        abi::PreparedCall call,
        abi::PreparedCall::Create(std::move(function), std::move(inputs)));
    calls.push_back(std::move(call));
    return calls;
  }
  for (const vm::Function& each : functions) {
    ASSIGN_OR_RETURN(abi::Callable function, session.Bind(each));
    if (!function.argument_types().empty()) continue;
    ASSIGN_OR_RETURN(abi::PreparedCall call,
                     abi::PreparedCall::Create(std::move(function), {}));
    calls.push_back(std::move(call));
  }
  if (calls.empty()) {
    return UsageError(
        "Every function takes arguments; name one with --function and give its "
        "arguments with --input.");
  }
  return calls;
}

// A thread that calls: its context, and a call of each function.
struct Caller {
  std::unique_ptr<abi::Session> session;
  std::vector<abi::PreparedCall> calls;
  // The time of the first call of each function; -1 before it.
  std::vector<double> first_ns;
};

using Clock = std::chrono::steady_clock;

double NanosecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

// Returns the row of the function `index` of all callers.
MeasuredRow RowOf(std::vector<Caller>& callers, size_t index) {
  MeasuredRow row;
  const auto& first = callers[0].calls[index].callable();
  row.name = absl::StrCat("BM_", EscapedName(first.function().name()));
  row.callers.resize(callers.size());
  const auto call = [&callers, index](int caller) {
    return callers[static_cast<size_t>(caller)].calls[index].Invoke();
  };
  // Calls once, so that everything created at first use, such as a driver's
  // kernel code, exists before the measurement.
  row.prepare = [call, &callers, index](int caller) {
    double& first_ns = callers[static_cast<size_t>(caller)].first_ns[index];
    if (first_ns >= 0) return absl::OkStatus();
    const Clock::time_point begin = Clock::now();
    absl::Status status = call(caller);
    first_ns = NanosecondsSince(begin);
    return status;
  };
  row.call = call;
  return row;
}

// Adds the counters of --startup.
void AddStartup(std::span<const Caller> callers, size_t index, double load_ns,
                BenchmarkUnit unit, std::vector<BenchmarkCounter>& counters) {
  double first_ns = 0;
  for (const Caller& caller : callers) {
    first_ns = std::max(first_ns, caller.first_ns[index]);
  }
  counters.push_back({"load", load_ns / NanosecondsOf(unit)});
  counters.push_back({"first_call", first_ns / NanosecondsOf(unit)});
  rusage usage = {};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    constexpr double kKiB = 1024;
    counters.push_back(
        {"peak_memory", static_cast<double>(usage.ru_maxrss) * kKiB});
  }
}

absl::StatusOr<size_t> CallersOf(const Arguments& arguments) {
  const int64_t callers = arguments.GetInt("callers");
  if (callers >= 1 && callers <= kMaxCallers) {
    return static_cast<size_t>(callers);
  }
  return UsageError(absl::StrCat("--callers=", callers,
                                 " is not between 1 and ", kMaxCallers, "."));
}

// `load_ns` is the time that loading took.
absl::StatusOr<std::vector<MeasuredRow>> RowsOf(const Arguments& arguments,
                                                std::vector<Caller>& callers,
                                                double load_ns) {
  ASSIGN_OR_RETURN(const BenchmarkUnit unit,
                   ParseUnit(arguments.GetString("time_unit")));
  for (Caller& caller : callers) {
    ASSIGN_OR_RETURN(caller.calls, PrepareCalls(arguments, *caller.session));
    caller.first_ns.assign(caller.calls.size(), -1);
  }
  std::vector<MeasuredRow> rows;
  for (size_t i = 0; i < callers[0].calls.size(); ++i) {
    MeasuredRow& row = rows.emplace_back(RowOf(callers, i));
    row.unit = unit;
    row.batch = arguments.GetInt("batch_size");
    row.has_percentiles =
        callers.size() > 1 || arguments.GetBool("percentiles");
    if (!arguments.GetBool("startup")) continue;
    row.count = [&callers, i, load_ns,
                 unit](std::vector<BenchmarkCounter>& counters) {
      AddStartup(callers, i, load_ns, unit, counters);
    };
  }
  return rows;
}

// INVALID_ARGUMENT: results would follow rows that are not for people. The
// public tool prints both.
absl::Status CheckFormat(const Arguments& arguments,
                         const BenchmarkFlags& flags) {
  if (flags.format() == "console" || !PrintsResults(arguments) ||
      UsesPublicExitCodes()) {
    return absl::OkStatus();
  }
  return UsageError(absl::StrCat(
      "--", kProcessOutputs, " prints after the rows, which are ",
      flags.format(),
      "; write the results to files by --output, or the rows to one by "
      "--benchmark_out and --benchmark_out_format=",
      flags.format(), "."));
}

// INVALID_ARGUMENT: calls cannot be measured as a flag says.
absl::Status CheckCallFlags(const Arguments& arguments) {
  RETURN_IF_ERROR(ParseUnit(arguments.GetString("time_unit")).status());
  const int64_t batch_size = arguments.GetInt("batch_size");
  if (batch_size < 1 || batch_size > kMaxIterations) {
    return UsageError(absl::StrCat("--batch_size=", batch_size, " is not 1 to ",
                                   kMaxIterations, "."));
  }
  if (const int64_t many = arguments.GetInt("batch_concurrency"); many != 1) {
    return UsageError(absl::StrCat(
        "--batch_concurrency=", many,
        " is not supported, because the calls of a thread run one after "
        "another; --callers=",
        many, " measures calls of several threads."));
  }
  constexpr const char* kReaders[] = {"args", "kwargs"};
  return CheckStandardInput(arguments, kReaders);
}

// INVALID_ARGUMENT: several functions or callers have results.
absl::Status CheckResultFlags(const Arguments& arguments,
                              std::span<const Caller> callers) {
  const size_t functions = callers[0].calls.size();
  if (functions == 1 && callers.size() == 1) {
    RETURN_IF_ERROR(CheckEquality(arguments));
    return CheckOutputs(arguments, callers[0].calls[0].callable());
  }
  return UsageError(absl::StrCat("--", kProcessOutputs,
                                 " needs one function and one caller, not ",
                                 functions, " and ", callers.size(),
                                 "; name the function by --function."));
}

// Shows the results of the last call. Returns false if they are not as
// expected. INVALID_ARGUMENT: there was no call.
absl::StatusOr<bool> ShowLast(const Arguments& arguments, Caller& caller,
                              const Ref<hal::Device>& device,
                              abi::ValueWriter& writer) {
  abi::PreparedCall& call = caller.calls[0];
  if (caller.first_ns[0] < 0) {
    return UsageError(absl::StrCat("--", kProcessOutputs,
                                   " has no results to show, because "
                                   "--benchmark_list_tests calls nothing."));
  }
  std::vector<vm::Value> results(
      std::make_move_iterator(call.results().begin()),
      std::make_move_iterator(call.results().end()));
  return ShowResults(arguments, call.callable(), device, std::move(results),
                     {PrintOptionsOf(arguments)}, writer);
}

// Sets `interrupted` if the user interrupts. Returns false if results are not
// as expected.
absl::StatusOr<bool> Bench(const Arguments& arguments, BenchmarkFlags& flags,
                           std::atomic<bool>& interrupted) {
  RETURN_IF_ERROR(CheckCallFlags(arguments));
  ASSIGN_OR_RETURN(const size_t caller_count, CallersOf(arguments));
  ASSIGN_OR_RETURN(Tracing tracing, Tracing::Prepare(arguments));
  const bool shows = arguments.GetBool(kProcessOutputs);
  abi::ValueWriter writer(PrintOptionsOf(arguments));
  if (shows) {
    RETURN_IF_ERROR(CheckFormat(arguments, flags));
    RETURN_IF_ERROR(PrepareOutputs(arguments, writer, tracing));
  }
  const Clock::time_point begin = Clock::now();
  ASSIGN_OR_RETURN(auto natives, LoadNativeLibraries(arguments));
  abi::SessionOptions options;
  RETURN_IF_ERROR(ReadSessionOptions(arguments, options));
  ASSIGN_OR_RETURN(auto programs, LoadPrograms(arguments, natives));
  ASSIGN_OR_RETURN(const auto devices, OpenDevices(arguments));
  options.native_libraries = std::move(natives);
  std::vector<Caller> callers(caller_count);
  std::atomic<bool> running = false;
  std::optional<InterruptWatch> watch(std::in_place, [&] {
    if (!running) InterruptWatch::Exit();
    interrupted = true;
    for (const Caller& caller : callers) caller.session->Cancel();
  });
  for (Caller& caller : callers) {
    ASSIGN_OR_RETURN(caller.session,
                     abi::Session::Create(programs, devices, options));
  }
  const double load_ns = NanosecondsSince(begin);
  ASSIGN_OR_RETURN(std::vector<MeasuredRow> rows,
                   RowsOf(arguments, callers, load_ns));
  if (shows) RETURN_IF_ERROR(CheckResultFlags(arguments, callers));
  RETURN_IF_ERROR(tracing.Begin());
  running = true;
  absl::Status measured = flags.MeasureRows(rows);
  watch.reset();
  absl::StatusOr<bool> passed = true;
  if (shows && measured.ok()) {
    passed = ShowLast(arguments, callers[0], devices[0], writer);
  }
  for (Caller& caller : callers) caller.calls.clear();
  callers.clear();
  if (arguments.GetBool("print_statistics")) PrintStatistics(devices);
  absl::Status traced = tracing.Finish();
  RETURN_IF_ERROR(measured);
  RETURN_IF_ERROR(traced);
  return passed;
}

// The usage and flags for a module's functions or for an executable's kernel.
struct Mode {
  const char* usage;
  std::vector<Flag> flags;
};

Mode ModeOf(bool is_executable) {
  const auto add = [](std::vector<Flag>& to, std::span<const Flag> more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  if (!is_executable) {
    std::vector<Flag> own(std::begin(kBenchFlags), std::end(kBenchFlags));
    add(own, ResultFlags());
    add(own, DeviceFlags());
    return {kBenchUsage, WithLoadFlags(own)};
  }
  Mode mode = {kExecutableUsage, KernelFlags()};
  const size_t kept = mode.flags.size();
  for (Flag flag : WithLoadFlags({})) {
    const std::span<const Flag> known = std::span(mode.flags).first(kept);
    const absl::string_view name = flag.name;
    if (absl::c_any_of(known, [&](const Flag& f) { return f.name == name; })) {
      continue;
    }
    flag.help = "";
    // A module is reported as an error.
    if (name != "module") flag.kind = FlagKind::kIgnored;
    mode.flags.push_back(flag);
  }
  add(mode.flags, ExecutableFlags());
  add(mode.flags, DeviceFlags());
  return mode;
}

// Returns the exit code.
absl::StatusOr<int> RunBench(std::span<const char* const> given,
                             std::atomic<bool>& interrupted) {
  std::vector<const char*> args(given.begin(), given.end());
  const bool is_executable =
      !args.empty() && args[0] == absl::string_view("executable");
  if (is_executable) args.erase(args.begin());
  const Mode mode = ModeOf(is_executable);
  ASSIGN_OR_RETURN(BenchmarkFlags flags, BenchmarkFlags::Take(kProgram, args));
  ASSIGN_OR_RETURN(const Arguments arguments, ParseArguments(mode.flags, args));
  if (arguments.GetBool("help")) {
    RETURN_IF_ERROR(
        WriteStdout(absl::StrCat(mode.usage, FlagsHelp(mode.flags))));
    return 0;
  }
  const bool shows_none = !is_executable && !arguments.GetBool(kProcessOutputs);
  ReportIgnoredFlags(arguments,
                     shows_none ? ResultFlags() : std::span<const Flag>());
  ASSIGN_OR_RETURN(const bool listed, ListDevices(arguments));
  if (listed) return 0;
  if (!is_executable && arguments.GetBool("compare")) {
    RETURN_IF_ERROR(CompareFiles(arguments, flags.json()));
    return 0;
  }
  RETURN_IF_ERROR(flags.OpenFile());
  absl::StatusOr<bool> passed = true;
  if (is_executable) {
    RETURN_IF_ERROR(BenchExecutable(arguments, flags));
  } else {
    ASSIGN_OR_RETURN(passed, Bench(arguments, flags, interrupted));
  }
  RETURN_IF_ERROR(CheckStdout());
  return *passed ? 0 : 1;
}

}  // namespace

int BenchMain(std::span<const char* const> args) {
  std::atomic<bool> interrupted = false;
  const absl::StatusOr<int> done = RunBench(args, interrupted);
  if (done.ok()) return *done;
  const int code = ReportError(done.status());
  return interrupted && absl::IsCancelled(done.status())
             ? InterruptWatch::kExitCode
             : code;
}

}  // namespace eyrie::tools
