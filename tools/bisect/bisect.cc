// `eyrie bisect`: names the dispatch that computes something else in one of two
// modules, or on one of two devices.
//
// Tested by bisect_test.txt.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/arg_parser.h"
#include "tools/bisect/bisect_report.h"
#include "tools/bisect/bisection.h"
#include "tools/bisect/reproducer.h"
#include "tools/bisect/side.h"
#include "tools/capture.h"
#include "tools/command.h"
#include "tools/compiler/compiler.h"
#include "tools/compiler/flag_sets.h"
#include "tools/compiler/model_compiler.h"
#include "tools/compiler/result_folder.h"
#include "tools/interrupt.h"
#include "tools/load_flags.h"
#include "tools/progress_line.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

// Exit codes, as those of `eyrie diff`.
constexpr int kEqual = 0;
constexpr int kDifferent = 1;
constexpr int kTrouble = 2;

constexpr char kUsage[] =
    "# Usage: eyrie bisect [flags] good.vmfb bad.vmfb\n"
    "# Names the first dispatch that computes something else in the bad "
    "module\n"
    "# though its inputs are equal. The exit code is 0 if nothing differs, 1 "
    "if\n"
    "# something does, and 2 after an error.\n"
    "#   eyrie bisect good.vmfb bad.vmfb --input=@x.npy\n"
    "#   eyrie bisect model.vmfb --device=local-sync --device=vulkan "
    "--input=@x.npy\n"
    "#   eyrie bisect --source=model.mlir --compilers=venv312,venv313\n"
    "#   eyrie bisect model.vmfb --input=@x.npy --expected_output=@y.npy\n"
    "# Without arguments of a call, they are random: --input=random.\n\n";

constexpr Flag kOwnFlags[] = {
    {"tolerance", FlagKind::kDouble, "0.0001",
     "Maximum difference of a float from that of the good side, when a "
     "dispatch\n"
     "has equal inputs: this part of its value, and of the middle one of all\n"
     "values. Results may differ ten times as much. Other types must be\n"
     "equal."},
    {"dispatches", FlagKind::kBool, "false",
     "Compares the dispatches even if the results agree."},
    {"all", FlagKind::kBool, "false",
     "Shows all dispatches that compute something else, not the first 6."},
    {"json", FlagKind::kBool, "false", "Prints the answer as JSON."},
    {"html", FlagKind::kString, "",
     "A file for a page with the answer and a map of the bad module's "
     "dispatches."},
    {"reproducer", FlagKind::kString, "",
     "A folder for a module of the dispatch alone, its inputs and its results, "
     "by\n"
     "which others see the same with the public runtimes."},
    {"expected_output", FlagKind::kList, "",
     "A known value of a result, as in `eyrie run`, instead of a good module."},
    {"source", FlagKind::kString, "",
     "A model (.onnx, .mlir) to compile twice, instead of modules: with the "
     "two\n"
     "compilers of --compilers, or with the flags of --flags, the good side\n"
     "first. --compile_flag is for both."},
    {"flags", FlagKind::kList, "",
     "Flags of the compiler for one side, separated by spaces. If there is "
     "one\n"
     "compiler and one --flags, the good side has none."},
};

std::vector<Flag> BisectFlags() {
  std::vector<Flag> own(std::begin(kOwnFlags), std::end(kOwnFlags));
  const auto compiler = CompilerFlags();
  own.insert(own.end(), compiler.begin(), compiler.end());
  return WithCallFlags(own);
}

class BisectCommand {
 public:
  explicit BisectCommand(const Arguments& arguments) : arguments_(arguments) {}

  // Returns the exit code.
  absl::StatusOr<int> Run() {
    RETURN_IF_ERROR(Check());
    ASSIGN_OR_RETURN(limits_, CompileLimitsOf(arguments_, stop_));
    std::atomic<Bisection*> running = nullptr;
    const InterruptWatch watch([this, &running] {
      stop_ = true;
      Bisection* const bisection = running;
      if (bisection != nullptr) bisection->Cancel();
    });
    std::optional<ResultFolder> folder;
    if (arguments_.IsSet("source")) {
      auto created = ResultFolder::Create("");
      RETURN_IF_ERROR(created.status());
      folder.emplace(*std::move(created));
    }
    const auto compiled = Paths(folder ? folder->path() : "");
    if (stop_) return InterruptWatch::kExitCode;
    RETURN_IF_ERROR(compiled.status());
    const std::vector<std::string>& paths = *compiled;
    RETURN_IF_ERROR(OpenSides(paths));
    Bisection bisection(good_.get(), *bad_, tolerance_);
    running = &bisection;
    BisectReport report;
    report.good = good_ ? Describe(*good_) : "known values";
    report.bad = Describe(*bad_);
    absl::Status status =
        bisection.Run(arguments_.GetBool("dispatches"), report);
    running = nullptr;
    if (stop_) return InterruptWatch::kExitCode;
    RETURN_IF_ERROR(status);
    Reproduce(report);
    RETURN_IF_ERROR(WriteTextTo("-", [&](TextSink sink) {
      return arguments_.GetBool("json")
                 ? PrintBisectJson(report, sink)
                 : PrintBisectText(report, arguments_.GetBool("all"), sink);
    }));
    RETURN_IF_ERROR(WritePage(report));
    return report.differs() ? kDifferent : kEqual;
  }

 private:
  absl::Status Check() {
    tolerance_ = arguments_.GetDouble("tolerance");
    if (!(tolerance_ >= 0) || std::isinf(tolerance_)) {
      return UsageError(absl::StrCat("--tolerance=", tolerance_,
                                     " is not a number from 0 on."));
    }
    const bool is_known = arguments_.IsSet("expected_output");
    for (const char* flag : {"html", "reproducer"}) {
      const std::string& path = arguments_.GetString(flag);
      if (!arguments_.IsSet(flag) || (!path.empty() && path != "-")) continue;
      return UsageError(absl::StrCat(
          "--", flag, "=", path, " names no ",
          flag == absl::string_view("html") ? "file." : "folder."));
    }
    if (is_known && arguments_.IsSet("reproducer")) {
      return UsageError(
          "--reproducer needs two sides, and --expected_output is none.");
    }
    const bool has_source = arguments_.IsSet("source");
    for (const char* flag : {"compilers", "flags", "compile_flag"}) {
      if (has_source || !arguments_.IsSet(flag)) continue;
      return UsageError(absl::StrCat("--", flag, " needs --source."));
    }
    const size_t modules = ModulePaths(arguments_).size();
    if (has_source && is_known) {
      return UsageError("--source cannot be combined with --expected_output.");
    }
    if (modules == 2 && is_known) {
      return UsageError("--expected_output is for one module; two are given.");
    }
    if (has_source) {
      if (modules == 0) return CheckModelFile(arguments_.GetString("source"));
      return UsageError("--source cannot be combined with modules.");
    }
    for (const std::string& path : ModulePaths(arguments_)) {
      if (path != "-") continue;
      return UsageError(
          "'-' is standard input, which can be read once; eyrie bisect reads "
          "modules several times, so give a file.");
    }
    const size_t devices = arguments_.GetList("device").size();
    if (!is_known && devices > 1 && devices % 2 != 0) {
      return UsageError(absl::StrCat(
          devices,
          " devices are given; expected one for both sides, or as "
          "many for the good side as, after them, for the bad one."));
    }
    if (modules == 2 && !is_known) return absl::OkStatus();
    if (modules == 1 && (is_known || HasDevicesOfEach())) {
      return absl::OkStatus();
    }
    return UsageError(absl::StrCat(
        "eyrie bisect takes two modules, or one with two --device, or one with "
        "--expected_output, or a --source; ",
        modules, modules == 1 ? " module" : " modules", " and ", devices,
        devices == 1 ? " device are given." : " devices are given."));
  }

  // Reports whether --device names those of one side, then those of the other.
  bool HasDevicesOfEach() const {
    return arguments_.GetList("device").size() > 1 &&
           !arguments_.IsSet("expected_output");
  }

  // Returns the module of each side, or the only one. Compiles a source.
  absl::StatusOr<std::vector<std::string>> Paths(const std::string& folder) {
    if (!arguments_.IsSet("source")) return ModulePaths(arguments_);
    ASSIGN_OR_RETURN(const std::vector<Compiler> compilers,
                     FindCompilers(arguments_, limits_));
    std::vector<std::string> sets = arguments_.GetList("flags");
    if (compilers.size() == 1 && sets.size() == 1)
      sets.insert(sets.begin(), "");
    if (compilers.size() == 2 && sets.empty()) sets.assign(2, "");
    if (compilers.size() > 2 || sets.size() != 2) {
      return UsageError(absl::StrCat(
          "--source is compiled twice: with two compilers, whose --flags are "
          "none or one for each, or with one and --flags once or twice; ",
          compilers.size(), " of --compilers and ",
          arguments_.GetList("flags").size(), " of --flags are given."));
    }
    ModelCompiler model(arguments_.GetString("source"), folder, limits_);
    std::vector<std::string> paths;
    const ProgressLine line([] { return std::string("compiling"); });
    for (size_t side = 0; side < 2; ++side) {
      const Compiler& compiler =
          compilers[std::min(side, compilers.size() - 1)];
      paths.push_back(
          absl::StrCat(folder, "/", side == 0 ? "good" : "bad", ".vmfb"));
      labels_.push_back(absl::StrCat(
          PlainPath(arguments_.GetString("source")), " by ", compiler.version,
          sets[side].empty() ? "" : absl::StrCat(" with ", sets[side])));
      RETURN_IF_ERROR(
          model
              .Compile(compiler,
                       CompilerFlagsOf(sets[side],
                                       arguments_.GetList("compile_flag")),
                       paths.back())
              .status());
    }
    return paths;
  }

  absl::Status OpenSides(const std::vector<std::string>& paths) {
    // Each side opens its own, because an isolated process may end with one
    // side.
    const std::vector<std::string>& all = arguments_.GetList("device");
    std::vector<std::string> first = all;
    std::vector<std::string> second = all;
    if (all.empty()) first = second = {abi::kDefaultDevice};
    if (HasDevicesOfEach()) {
      first.resize(all.size() / 2);
      second.erase(second.begin(),
                   second.begin() + static_cast<ptrdiff_t>(all.size() / 2));
    }
    if (!arguments_.IsSet("expected_output")) {
      ASSIGN_OR_RETURN(good_,
                       Side::Create(arguments_, "good", paths.front(), first));
      if (!labels_.empty()) good_->set_label(labels_.front());
    }
    ASSIGN_OR_RETURN(bad_,
                     Side::Create(arguments_, "bad", paths.back(), second));
    if (!labels_.empty()) bad_->set_label(labels_.back());
    return absl::OkStatus();
  }

  static std::string Describe(const Side& side) {
    return absl::StrCat(side.label(), " on ",
                        PlainPath(absl::StrJoin(side.uris(), ", ")));
  }

  absl::Status WritePage(const BisectReport& report) {
    const std::string& path = arguments_.GetString("html");
    if (path.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const Report* module, bad_->ReadReport());
    return WriteTextTo(path, [&](TextSink sink) {
      return PrintBisectHtml(report, *module, sink);
    });
  }

  void Reproduce(BisectReport& report) {
    const std::string& folder = arguments_.GetString("reproducer");
    const auto& findings = report.comparison.findings;
    if (folder.empty()) return;
    if (findings.empty()) {
      report.no_reproducer = "no dispatch is named.";
      return;
    }
    const absl::Status status =
        findings.front().suspects.empty()
            ? WriteReproducer(folder, *good_, *bad_, report.comparison)
            : absl::FailedPreconditionError("no single dispatch is named.");
    if (status.ok()) {
      report.reproducer = folder;
    } else {
      const absl::string_view message = status.message();
      report.no_reproducer = std::string(message.substr(0, message.find('\n')));
    }
  }

  const Arguments& arguments_;
  double tolerance_ = 0;
  CaptureLimits limits_;
  std::atomic<bool> stop_ = false;
  std::vector<std::string> labels_;  // of compiled sides
  std::unique_ptr<Side> good_;       // null: values are known
  std::unique_ptr<Side> bad_;
};

absl::StatusOr<int> Run(std::span<const char* const> args) {
  const std::vector<Flag> flags = BisectFlags();
  ASSIGN_OR_RETURN(Arguments arguments, ParseArguments(flags, args));
  if (!arguments.IsSet("input") && !arguments.IsSet("args") &&
      !arguments.IsSet("kwargs")) {
    std::vector<const char*> with = {"--input=random"};
    with.insert(with.end(), args.begin(), args.end());
    ASSIGN_OR_RETURN(arguments, ParseArguments(flags, with));
  }
  if (arguments.GetBool("help")) {
    RETURN_IF_ERROR(WriteStdout(absl::StrCat(kUsage, FlagsHelp(flags))));
    return kEqual;
  }
  ReportIgnoredFlags(arguments);
  return BisectCommand(arguments).Run();
}

}  // namespace

int BisectMain(std::span<const char* const> args) {
  const absl::StatusOr<int> code = Run(args);
  if (code.ok()) return *code;
  ReportError(code.status());
  return kTrouble;
}

}  // namespace eyrie::tools
