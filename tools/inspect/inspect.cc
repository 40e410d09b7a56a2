// `eyrie inspect`: describes a module on one page.
//
// Tested by inspect_test.txt.
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/folders.h"
#include "base/status_macros.h"
#include "hal/driver.h"
#include "tools/arg_parser.h"
#include "tools/command.h"
#include "tools/inspect/dispatch_graph.h"
#include "tools/inspect/kernel_times.h"
#include "tools/inspect/report.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxLines = 40;  // per list

constexpr char kUsage[] =
    "# Usage: eyrie inspect [flags] model.vmfb\n"
    "# Describes a compiled module: its compiler, the arguments of its\n"
    "# functions, its requirements and whether it would run here, its sizes "
    "and\n"
    "# its dispatches. Runs no code of it. '-' reads standard input.\n"
    "#   eyrie inspect model.vmfb\n"
    "#   eyrie inspect model.vmfb --html model.html\n"
    "#   eyrie inspect model.vmfb --html model.html --times trace.json\n\n";

constexpr Flag kFlags[] = {
    kHelpFlag,
    kFlagfileFlag,
    {"all", FlagKind::kBool, "false",
     "Shows all entries of each list instead of the first 40."},
    {"json", FlagKind::kBool, "false", "Prints the report as JSON."},
    {"dot", FlagKind::kBool, "false",
     "Prints the call graph for Graphviz: | dot -Tsvg."},
    {"html", FlagKind::kString, "",
     "Writes an HTML page with the call graph, the code and its source\n"
     "locations: one file, which loads nothing else."},
    {"times", FlagKind::kString, "",
     "Shows the times of kernels on the page of --html, from a trace of\n"
     "'eyrie run model.vmfb --trace=FILE'."},
    {"allow_system_executables", FlagKind::kBool, "false",
     "Treats executables in the system's own format as supported."},
    {"no_native_code", FlagKind::kBool, "false",
     "Treats executables of native code as not supported."},
    {"isolate", FlagKind::kBool, "false",
     "Treats executables as supported only if their code can be isolated."},
};

// Describes a file that is not a module, by its name, and names a command for
// it. Returns "" for unknown files.
std::string OtherCommand(const std::string& path) {
  const std::string name = absl::AsciiStrToLower(path);
  for (const char* ending : {".gguf", ".irpa", ".safetensors"}) {
    if (absl::EndsWith(name, ending)) {
      return absl::StrCat("'", path,
                          "' is a file of parameters: eyrie params dump ", path,
                          " shows what it holds.");
    }
  }
  for (const char* ending : {".so", ".dll", ".dylib"}) {
    if (absl::EndsWith(name, ending)) {
      return absl::StrCat("'", path, "' is a native library: eyrie dump ", path,
                          " shows what it offers.");
    }
  }
  if (absl::EndsWith(name, ".mlir")) {
    return absl::StrCat(
        "'", path,
        "' is a program's source; compile it with 'iree-compile' "
        "first.");
  }
  if (absl::EndsWith(name, ".vmasm")) {
    return absl::StrCat("'", path, "' is assembly: eyrie asm ", path,
                        " -o model.vmfb makes a module of it.");
  }
  return "";
}

// Returns the error for a file that is not a module, with a command for it.
absl::Status WithCommand(const absl::Status& status, const std::string& path) {
  if (IsFolder(path)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "' is a folder; expected a module's file."));
  }
  const std::string other = OtherCommand(path);
  if (other.empty() || absl::IsNotFound(status)) return status;
  return absl::InvalidArgumentError(other);
}

// Reads the trace, if one is given. INVALID_ARGUMENT: it is of another module.
absl::Status ReadTimes(const std::string& path, Report& report) {
  if (path.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(report.times, ReadKernelTimes(path));
  for (const DispatchUse& dispatch : report.facts.dispatches) {
    if (TimeOf(report, dispatch) != nullptr) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--times='", path, "' has no dispatch of this module."));
}

absl::Status Inspect(const Arguments& arguments, const std::string& path) {
  hal::DriverOptions options;
  options.allow_system_executables =
      arguments.GetBool("allow_system_executables");
  options.allow_native_code = !arguments.GetBool("no_native_code");
  options.isolate = arguments.GetBool("isolate");
  absl::StatusOr<Report> report = CreateReport(path, options);
  if (!report.ok()) return WithCommand(report.status(), path);
  RETURN_IF_ERROR(ReadTimes(arguments.GetString("times"), *report));
  const std::string& html = arguments.GetString("html");
  if (!html.empty()) {
    RETURN_IF_ERROR(WriteTextTo(html, [&report](TextSink sink) {
      return PrintReportHtml(*report, sink);
    }));
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

absl::Status Run(std::span<const char* const> args) {
  ASSIGN_OR_RETURN(const Arguments arguments, ParseArguments(kFlags, args));
  if (arguments.GetBool("help")) {
    return WriteStdout(absl::StrCat(kUsage, FlagsHelp(kFlags)));
  }
  if (arguments.positional().size() != 1) {
    return UsageError(absl::StrCat("eyrie inspect takes one module file, not ",
                                   arguments.positional().size(), "."));
  }
  if (arguments.GetBool("json") && arguments.GetBool("dot")) {
    return UsageError("--json cannot be combined with --dot.");
  }
  if (arguments.IsSet("html") && arguments.GetString("html").empty()) {
    return UsageError("--html='' is empty; expected a file to write.");
  }
  if (arguments.IsSet("times") && arguments.GetString("times").empty()) {
    return UsageError("--times='' is empty; expected a trace.");
  }
  if (arguments.IsSet("times") && !arguments.IsSet("html")) {
    return UsageError("--times needs --html; it has no effect on text.");
  }
  if (arguments.IsSet("html")) {
    RETURN_IF_ERROR(CheckOutputPath("--html=", arguments.GetString("html"),
                                    arguments.positional()));
  }
  return Inspect(arguments, arguments.positional()[0]);
}

}  // namespace

int InspectMain(std::span<const char* const> args) {
  const absl::Status status = Run(args);
  return status.ok() ? 0 : ReportError(status);
}

}  // namespace eyrie::tools
