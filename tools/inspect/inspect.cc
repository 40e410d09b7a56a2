// `eyrie inspect`: describes a module on one page.
//
// Tested by inspect_test.txt.
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/folders.h"
#include "base/status_macros.h"
#include "hal/driver.h"
#include "tools/arg_parser.h"
#include "tools/command.h"
#include "tools/inspect/dispatch_times.h"
#include "tools/inspect/kernel_times.h"
#include "tools/inspect/measure.h"
#include "tools/inspect/report.h"
#include "tools/json_flags.h"
#include "tools/load_flags.h"
#include "tools/other_files.h"
#include "tools/trace_flags.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxLines = 40;  // per list

constexpr char kUsage[] =
    "# Usage: eyrie inspect [flags] model.vmfb\n"
    "# Describes a compiled module: its compiler, the arguments of its\n"
    "# functions, its requirements and whether it would run here, its sizes "
    "and\n"
    "# its dispatches. Runs code of it only if --input or --args is given. "
    "'-'\n"
    "# reads standard input.\n"
    "#   eyrie inspect model.vmfb\n"
    "#   eyrie inspect model.vmfb --html\n"
    "#   eyrie inspect model.vmfb --html=page.html --input=auto\n\n";

constexpr Flag kFlags[] = {
    Heading("The report"),
    {"all", FlagKind::kBool, "false",
     "Shows all entries of each list instead of the first 40."},
    {"json", FlagKind::kBool, "false", "Prints the report as JSON."},
    {"dot", FlagKind::kBool, "false",
     "Prints the call graph for Graphviz: | dot -Tsvg."},
    {"html", FlagKind::kString, "",
     "Writes an HTML page with a map of the dispatches, the code and its\n"
     "source locations: one file, which loads nothing else. --html alone "
     "writes\n"
     "model.html for model.vmfb to the current folder."},
    {"times", FlagKind::kString, "",
     "Shows the times of dispatches from a trace of\n"
     "'eyrie run model.vmfb --trace=FILE', instead of calling the function."},
};

// Flags of calls that have an effect even if no function is called.
constexpr absl::string_view kAlways[] = {"help",
                                         "flagfile",
                                         "allow_system_executables",
                                         "no_native_code",
                                         "isolate",
                                         "executable_plugin",
                                         "vulkan_robust_buffer_access"};

bool WantsCall(const Arguments& arguments) {
  return arguments.IsSet("input") || HasJsonInputs(arguments);
}

// Reads the trace of --times. INVALID_ARGUMENT: it is of another module.
absl::Status ReadTimes(const std::string& path, Report& report) {
  ASSIGN_OR_RETURN(const KernelTimes times, ReadKernelTimes(path));
  report.dispatch_ns = TimesOfDispatches(report, times);
  if (report.dispatch_ns.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--times='", path, "' has no dispatch of this module."));
  }
  report.recording = absl::StrCat("Times are sums over the trace ", path, ".");
  return absl::OkStatus();
}

// Calls the function. If the call fails, the report says why. Fails if a flag
// is wrong.
absl::Status MeasureTimes(const Arguments& arguments, Report& report) {
  const absl::StatusOr<Measurement> measured = Measure(arguments);
  if (IsUsageError(measured.status())) return measured.status();
  if (!measured.ok()) {
    // Without the backtrace, which is on lines of its own.
    const absl::string_view message = measured.status().message();
    report.recording = absl::StrCat("There are no times: ",
                                    message.substr(0, message.find('\n')));
    PrintNote(report.recording);
    return absl::OkStatus();
  }
  report.dispatch_ns = TimesOfDispatches(report, measured->times);
  report.recording = absl::StrCat(measured->what, ": ", TimeText(measured->ns),
                                  ", of which ", TimeText(TotalTime(report)),
                                  " in kernels, added up over threads.");
  return absl::OkStatus();
}

// Returns the path of --html; "" without it.
std::string PagePath(const Arguments& arguments, const std::string& module) {
  if (!arguments.IsSet("html")) return "";
  const std::string& path = arguments.GetString("html");
  if (!path.empty()) return path;
  return absl::StrCat(absl::StripSuffix(FileNameOf(module), ".vmfb"), ".html");
}

absl::Status Inspect(const Arguments& arguments, const std::string& path) {
  ASSIGN_OR_RETURN(const hal::DriverOptions options,
                   DriverOptionsOf(arguments));
  absl::StatusOr<Report> report = CreateReport(path, options);
  if (!report.ok()) return WithCommands(report.status(), path);
  if (arguments.IsSet("times")) {
    RETURN_IF_ERROR(ReadTimes(arguments.GetString("times"), *report));
  }
  if (WantsCall(arguments)) {
    RETURN_IF_ERROR(MeasureTimes(arguments, *report));
  }
  const std::string html = PagePath(arguments, path);
  if (!html.empty()) {
    RETURN_IF_ERROR(WriteTextTo(html, [&report](TextSink sink) {
      return PrintReportHtml(*report, sink);
    }));
    if (arguments.GetString("html").empty()) {
      PrintNote(absl::StrCat("The page is ", html, "."));
    }
  }
  if (arguments.GetBool("json")) {
    return WriteTextTo("-", [&report](TextSink sink) {
      return PrintReportJson(*report, sink);
    });
  }
  if (arguments.GetBool("dot")) return WriteStdout(ReportDot(*report));
  if (!html.empty()) return absl::OkStatus();
  return WriteStdout(
      ReportText(*report, arguments.GetBool("all") ? 0 : kMaxLines));
}

// Gives a bare --html the value "", because its usual value is optional.
std::vector<const char*> WithPage(std::span<const char* const> args) {
  std::vector<const char*> list(args.begin(), args.end());
  for (size_t i = 0; i < list.size(); ++i) {
    const bool has_value =
        i + 1 < list.size() && !absl::StartsWith(list[i + 1], "--");
    if (absl::string_view(list[i]) == "--html" && !has_value) {
      list[i] = "--html=";
    }
  }
  return list;
}

// INVALID_ARGUMENT: flags contradict each other, or do nothing.
absl::Status CheckFlags(const Arguments& arguments) {
  if (arguments.positional().size() != 1) {
    return UsageError(absl::StrCat("eyrie inspect takes one module file, not ",
                                   arguments.positional().size(), "."));
  }
  if (arguments.GetBool("json") && arguments.GetBool("dot")) {
    return UsageError("--json cannot be combined with --dot.");
  }
  if (arguments.IsSet("times") && arguments.GetString("times").empty()) {
    return UsageError("--times='' is empty; expected a trace.");
  }
  if (arguments.IsSet("times") && WantsCall(arguments)) {
    return UsageError(
        "--times cannot be combined with --input or --args, which measure.");
  }
  for (const Flag& flag : WithCallFlags({})) {
    if (flag.kind == FlagKind::kHeading || WantsCall(arguments)) continue;
    if (absl::c_linear_search(kAlways, flag.name)) continue;
    if (!arguments.IsSet(flag.name)) continue;
    return UsageError(
        absl::StrCat("--", flag.name,
                     " needs --input or --args; without them nothing runs."));
  }
  constexpr const char* kReaders[] = {"args", "kwargs"};
  RETURN_IF_ERROR(CheckStandardInput(arguments, kReaders));
  if (WantsCall(arguments) && arguments.positional()[0] == "-") {
    return UsageError(
        "A module of standard input cannot be called; expected a file.");
  }
  if (!arguments.IsSet("html")) return absl::OkStatus();
  return CheckOutputPath(
      "--html=", PagePath(arguments, arguments.positional()[0]),
      arguments.positional());
}

absl::Status Run(std::span<const char* const> args) {
  const std::vector<Flag> flags = WithCallFlags(kFlags);
  ASSIGN_OR_RETURN(const Arguments arguments,
                   ParseArguments(flags, WithPage(args)));
  if (arguments.GetBool("help")) {
    return WriteStdout(absl::StrCat(kUsage, FlagsHelp(flags)));
  }
  RETURN_IF_ERROR(CheckFlags(arguments));
  return Inspect(arguments, arguments.positional()[0]);
}

}  // namespace

int InspectMain(std::span<const char* const> args) {
  const absl::Status status = Run(args);
  return status.ok() ? 0 : ReportError(status);
}

}  // namespace eyrie::tools
