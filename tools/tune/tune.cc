// `eyrie tune`: compiles a model with several compilers and flags, measures all
// modules in one process and keeps the fastest.
//
// Tested by tune_test.txt.
#include <atomic>
#include <iterator>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/folders.h"
#include "base/mapped_file.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "tools/arg_parser.h"
#include "tools/capture.h"
#include "tools/command.h"
#include "tools/compiler/compiler.h"
#include "tools/compiler/flag_sets.h"
#include "tools/compiler/model_compiler.h"
#include "tools/compiler/result_folder.h"
#include "tools/interrupt.h"
#include "tools/load_flags.h"
#include "tools/progress_line.h"
#include "tools/trace_flags.h"
#include "tools/tune/candidate.h"
#include "tools/tune/ranking.h"
#include "tools/tune/tune_report.h"
#include "tools/tune/tuner.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr char kUsage[] =
    "# Usage: eyrie tune [flags] model.onnx|model.mlir\n"
    "# Compiles a model with the compilers and flags that are installed, "
    "compares\n"
    "# the results, measures all modules in one process, and keeps the "
    "fastest.\n"
    "#   eyrie tune model.onnx --input=@image.npy -o fastest.vmfb\n"
    "#   eyrie tune model.mlir --compilers=venv312,venv313 --sets=default,O3\n"
    "# Without arguments of a call, they are random: --input=random.\n\n";

constexpr char kOutput[] = "output";
constexpr char kTrial[] = "trial";

constexpr Flag kOwnFlags[] = {
    {kOutput, FlagKind::kString, "",
     "A file for the fastest module. Without it, no module is kept.", "-o"},
    {"json", FlagKind::kBool, "false", "Prints the figures as JSON."},
    {"sets", FlagKind::kList, "",
     "The sets of flags to try, separated by commas; the default is all that\n"
     "--list_sets prints. The first one is the reference."},
    {kTrial, FlagKind::kString, "", ""},  // a module, for TryModule
    {"list_sets", FlagKind::kBool, "false",
     "Prints the sets of flags, and compiles nothing."},
    {"out", FlagKind::kString, "",
     "A folder for all modules and for the imported model. The default is a\n"
     "temporary folder that is removed."},
};

std::vector<Flag> TuneFlags() {
  std::vector<Flag> own(std::begin(kOwnFlags), std::end(kOwnFlags));
  for (const std::span<const Flag> rows : {CompilerFlags(), TunerFlags()}) {
    own.insert(own.end(), rows.begin(), rows.end());
  }
  std::vector<Flag> flags = WithLoadFlags(own);
  std::erase_if(
      flags, [](const Flag& flag) { return flag.kind == FlagKind::kIgnored; });
  for (Flag& flag : flags) {
    // The model, which other commands have as a module.
    if (flag.name == absl::string_view("module")) flag.help = "";
  }
  return flags;
}

std::string SetsText() {
  std::string text;
  for (const FlagSet& set : FlagSets()) {
    absl::StrAppend(&text, set.name, ": ", set.description, "\n");
    if (*set.flags != '\0') absl::StrAppend(&text, "  ", set.flags, "\n");
  }
  return text;
}

absl::StatusOr<std::vector<const FlagSet*>> SetsOf(const Arguments& arguments) {
  std::vector<const FlagSet*> sets;
  std::vector<std::string> names;
  for (const FlagSet& set : FlagSets()) names.emplace_back(set.name);
  for (const std::string& list : arguments.GetList("sets")) {
    for (const absl::string_view name : absl::StrSplit(list, ',')) {
      const auto it = absl::c_find(names, name);
      if (it == names.end()) {
        return UsageError(
            absl::StrCat("--sets: there is no set '", PlainName(name), "'.",
                         DidYouMean(name, names), " --list_sets prints all."));
      }
      sets.push_back(&FlagSets()[it - names.begin()]);
    }
  }
  if (!sets.empty()) return sets;
  for (const FlagSet& set : FlagSets()) sets.push_back(&set);
  return sets;
}

// Returns a candidate for each compiler and set, with paths in the folder.
std::vector<Candidate> CandidatesFor(const std::vector<Compiler>& compilers,
                                     const std::vector<const FlagSet*>& sets,
                                     const std::vector<std::string>& extra,
                                     const std::string& folder) {
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < compilers.size(); ++i) {
    for (const FlagSet* set : sets) {
      Candidate& candidate = candidates.emplace_back();
      candidate.set = set;
      candidate.compiler = &compilers[i];
      candidate.flags = CompilerFlagsOf(set->flags, extra);
      candidate.path = absl::StrCat(folder, "/", candidates.size() - 1, ".",
                                    set->name, ".vmfb");
    }
  }
  return candidates;
}

// The text of the progress line. Thread-safe.
class Progress {
 public:
  void Set(std::string text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    text_ = std::move(text);
  }
  std::string Get() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return text_;
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

class Tuning {
 public:
  // `typed` are the words that `arguments` were parsed from.
  Tuning(const Arguments& arguments, std::span<const char* const> typed)
      : arguments_(arguments), typed_(typed.begin(), typed.end()) {}

  // Returns the exit code. After an interrupt, that is
  // InterruptWatch::kExitCode.
  absl::StatusOr<int> Run() {
    absl::StatusOr<int> code = Tune();
    if (stop_ && absl::IsCancelled(code.status())) {
      return InterruptWatch::kExitCode;
    }
    return code;
  }

 private:
  absl::StatusOr<int> Tune() {
    RETURN_IF_ERROR(Check());
    ASSIGN_OR_RETURN(sets_, SetsOf(arguments_));
    ASSIGN_OR_RETURN(limits_, CompileLimitsOf(arguments_, stop_));
    ASSIGN_OR_RETURN(Tracing tracing, Tracing::Prepare(arguments_));
    ASSIGN_OR_RETURN(const std::unique_ptr<Tuner> tuner,
                     Tuner::Create(arguments_, stop_));
    const InterruptWatch watch([this, &tuner] {
      stop_ = true;
      tuner->Cancel();
    });
    ASSIGN_OR_RETURN(const std::vector<Compiler> compilers,
                     FindCompilers(arguments_, limits_));
    ASSIGN_OR_RETURN(const ResultFolder folder,
                     ResultFolder::Create(arguments_.GetString("out")));
    ModelCompiler compiler(model(), folder.path(), limits_);
    std::vector<Candidate> candidates = CandidatesFor(
        compilers, sets_, arguments_.GetList("compile_flag"), folder.path());
    RETURN_IF_ERROR(tracing.Begin());
    RETURN_IF_ERROR(Fill(compiler, *tuner, candidates));
    RETURN_IF_ERROR(tracing.Finish());
    RETURN_IF_ERROR(Show(compiler, candidates));
    if (arguments_.GetBool("print_statistics")) {
      PrintStatistics(tuner->devices());
    }
    return stop_ ? InterruptWatch::kExitCode : 0;
  }

  std::string model() const { return ModulePaths(arguments_)[0]; }

  absl::Status Check() const {
    const std::vector<std::string> paths = ModulePaths(arguments_);
    if (paths.size() != 1) {
      return UsageError(
          absl::StrCat("eyrie tune takes one model, not ", paths.size(), "."));
    }
    RETURN_IF_ERROR(CheckModelFile(model()));
    const std::string& output = arguments_.GetString(kOutput);
    if (output.empty()) return absl::OkStatus();
    return CheckOutputPath(arguments_.Prefix(kOutput), output, paths);
  }

  // Compiles, loads and measures the candidates, until an interrupt.
  absl::Status Fill(ModelCompiler& compiler, Tuner& tuner,
                    std::vector<Candidate>& candidates) {
    Progress progress;
    const ProgressLine line([&progress] { return progress.Get(); });
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (stop_) {
        candidates[i].note = "interrupted";
        continue;
      }
      progress.Set(absl::StrCat("compiling ", i + 1, " of ", candidates.size(),
                                ": ", candidates[i].set->name, " of ",
                                candidates[i].compiler->version));
      Compile(compiler, candidates[i]);
      if (candidates[i].note.empty()) Try(candidates[i]);
      if (candidates[i].note.empty()) {
        RETURN_IF_ERROR(tuner.Load(candidates[i]));
      }
    }
    progress.Set("measuring");
    if (!stop_) tuner.Measure(candidates);
    return absl::OkStatus();
  }

  static void Compile(ModelCompiler& compiler, Candidate& candidate) {
    const absl::StatusOr<double> seconds =
        compiler.Compile(*candidate.compiler, candidate.flags, candidate.path);
    if (!seconds.ok()) {
      candidate.note =
          absl::IsCancelled(seconds.status())
              ? "interrupted"
              : absl::StrCat("refused: ", seconds.status().message());
      return;
    }
    candidate.compile_seconds = *seconds;
    candidate.bytes = FileSize(candidate.path);
  }

  // Calls the module once in a process of its own, because a kernel that the
  // compiler made wrongly may end its process.
  void Try(Candidate& candidate) const {
    std::vector<std::string> command = {
        "/proc/self/exe", "tune",
        absl::StrCat("--", kTrial, "=", candidate.path)};
    command.insert(command.end(), typed_.begin(), typed_.end());
    const absl::StatusOr<Captured> ran = RunAndCapture(command, limits_);
    if (absl::IsCancelled(ran.status())) {
      candidate.note = "interrupted";
    } else if (absl::IsDeadlineExceeded(ran.status())) {
      candidate.note =
          absl::StrCat("fails: the first call is ", ran.status().message());
    } else if (ran.ok() && ran->exit_code > kSignalCode) {
      candidate.note =
          absl::StrCat("crashes: a call ", EndText(ran->exit_code));
    }  // Other errors are those of Tuner::Load.
  }

  // Prints the figures and writes the fastest module.
  absl::Status Show(const ModelCompiler& compiler,
                    const std::vector<Candidate>& candidates) const {
    TuneReport report;
    report.model = model();
    report.candidates = candidates;
    report.fastest = FastestOf(candidates);
    report.output = arguments_.GetString(kOutput);
    if (report.fastest != nullptr) {
      report.commands = compiler.CommandsOf(
          *report.fastest->compiler, report.fastest->flags,
          report.output.empty() ? "fastest.vmfb" : report.output);
      if (!report.output.empty()) {
        ASSIGN_OR_RETURN(const auto module,
                         MappedFile::Open(report.fastest->path));
        RETURN_IF_ERROR(WriteFile(report.output, module->bytes()));
      }
    }
    RETURN_IF_ERROR(WriteTextTo("-", [this, &report](TextSink sink) {
      return arguments_.GetBool("json") ? PrintTuneJson(report, sink)
                                        : PrintTuneText(report, sink);
    }));
    if (report.fastest != nullptr || stop_) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("No compilation gave a module that runs. The first: ",
                     candidates[0].note));
  }

  const Arguments& arguments_;
  const std::vector<std::string> typed_;
  CaptureLimits limits_;
  std::vector<const FlagSet*> sets_;
  std::atomic<bool> stop_ = false;
};

// Loads the module of --trial and calls it once.
absl::Status TryModule(const Arguments& arguments) {
  const std::atomic<bool> stop = false;
  ASSIGN_OR_RETURN(const std::unique_ptr<Tuner> tuner,
                   Tuner::Create(arguments, stop));
  Candidate candidate;
  candidate.path = arguments.GetString(kTrial);
  return tuner->Load(candidate);
}

absl::StatusOr<int> RunTune(std::span<const char* const> args) {
  const std::vector<Flag> flags = TuneFlags();
  ASSIGN_OR_RETURN(Arguments arguments, ParseArguments(flags, args));
  if (!arguments.IsSet("input") && !arguments.IsSet("args") &&
      !arguments.IsSet("kwargs")) {
    std::vector<const char*> with = {"--input=random"};
    with.insert(with.end(), args.begin(), args.end());
    ASSIGN_OR_RETURN(arguments, ParseArguments(flags, with));
  }
  if (arguments.GetBool("help")) {
    RETURN_IF_ERROR(WriteStdout(absl::StrCat(kUsage, FlagsHelp(flags))));
    return 0;
  }
  if (arguments.GetBool("list_sets")) {
    RETURN_IF_ERROR(WriteStdout(SetsText()));
    return 0;
  }
  if (arguments.IsSet(kTrial)) {
    RETURN_IF_ERROR(TryModule(arguments));
    return 0;
  }
  return Tuning(arguments, args).Run();
}

}  // namespace

int TuneMain(std::span<const char* const> args) {
  const absl::StatusOr<int> code = RunTune(args);
  return code.ok() ? *code : ReportError(code.status());
}

}  // namespace eyrie::tools
