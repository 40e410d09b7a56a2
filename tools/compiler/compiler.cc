#include "tools/compiler/compiler.h"

#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/folders.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/limit_flags.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr char kCompile[] = "iree-compile";
constexpr char kImportOnnx[] = "iree-import-onnx";
// The place of iree-compile in Python's package iree-base-compiler, and the
// folder of its other programs, relative to that.
constexpr char kPackaged[] =
    "/lib/python3*/*-packages/iree/compiler/_mlir_libs/iree-compile";
constexpr char kFromPackaged[] = "../../../../../../bin/";
constexpr size_t kMaxReason = 400;  // bytes of a line of a compiler

constexpr Flag kCompilerFlags[] = {
    Heading("Compilers"),
    {"compilers", FlagKind::kList, "",
     "Compilers to use, separated by commas: paths of iree-compile, or "
     "folders\n"
     "of virtual environments of Python that have it. The default is that of\n"
     "the variable EYRIE_COMPILER, of PATH, or of a Python in PATH."},
    {"compile_flag", FlagKind::kList, "",
     "A flag of iree-compile for every compilation. May be repeated."},
    {"compile_timeout", FlagKind::kString, "10m",
     "Limit of the time of one compilation: a duration, or a number of "
     "seconds."},
};

bool IsProgram(const std::string& path) {
  return IsRegularFile(path) && access(path.c_str(), X_OK) == 0;
}

std::vector<std::string> PathFolders() {
  const char* const path = std::getenv("PATH");
  return absl::StrSplit(path == nullptr ? "" : path, ':', absl::SkipEmpty());
}

// Returns the path of a program in PATH, or "".
std::string FindInPath(absl::string_view name) {
  for (const std::string& folder : PathFolders()) {
    std::string path = absl::StrCat(folder, "/", name);
    if (IsProgram(path)) return path;
  }
  return "";
}

// Returns the compiler in the packages of a Python, or "".
std::string FindPackaged(absl::string_view prefix) {
  std::string pattern;
  for (const char c : prefix) {
    if (absl::StrContains("*?[\\", c)) pattern += '\\';
    pattern += c;
  }
  glob_t found = {};
  std::string path;
  if (glob(absl::StrCat(pattern, kPackaged).c_str(), 0, nullptr, &found) == 0) {
    path = found.gl_pathv[0];
  }
  globfree(&found);
  return path;
}

// Returns the compiler that a user names by a path, or "".
std::string FindAt(const std::string& path) {
  if (!IsFolder(path)) return IsProgram(path) ? path : "";
  for (const char* part : {"/bin/", "/"}) {
    std::string program = absl::StrCat(path, part, kCompile);
    if (IsProgram(program)) return program;
  }
  return FindPackaged(path);
}

// Returns the compiler of PATH, or of a Python there, or "".
std::string FindInstalled() {
  std::string program = FindInPath(kCompile);
  if (!program.empty()) return program;
  for (const std::string& folder : PathFolders()) {
    if (!IsProgram(folder + "/python3")) continue;
    program = FindPackaged(folder + "/..");
    if (!program.empty()) return program;
  }
  return "";
}

// Returns the importer of a compiler, or that of PATH, or "".
std::string FindImporter(const std::string& program) {
  const std::string folder = FolderOf(ExplicitPath(program));
  for (const char* part : {"", kFromPackaged}) {
    std::string importer = absl::StrCat(folder, part, kImportOnnx);
    if (IsProgram(importer)) return importer;
  }
  return FindInPath(kImportOnnx);
}

absl::StatusOr<std::string> FindNamed(const std::string& path,
                                      absl::string_view source) {
  std::string program = FindAt(path);
  if (!program.empty()) return program;
  return AsValueError(absl::NotFoundError(
      absl::StrCat(source, "'", PlainPath(path),
                   "' is neither iree-compile nor a folder that has it.")));
}

absl::StatusOr<std::vector<std::string>> FindPrograms(
    const Arguments& arguments) {
  std::vector<std::string> programs;
  for (const std::string& list : arguments.GetList("compilers")) {
    for (const absl::string_view path : absl::StrSplit(list, ',')) {
      ASSIGN_OR_RETURN(programs.emplace_back(),
                       FindNamed(std::string(path), "--compilers="));
    }
  }
  if (!programs.empty()) return programs;
  const char* const variable = std::getenv("EYRIE_COMPILER");
  if (variable != nullptr && *variable != '\0') {
    ASSIGN_OR_RETURN(programs.emplace_back(),
                     FindNamed(variable, "EYRIE_COMPILER="));
    return programs;
  }
  programs.push_back(FindInstalled());
  if (!programs[0].empty()) return programs;
  return absl::NotFoundError(
      "No compiler is installed. 'pip install iree-base-compiler[onnx]' "
      "installs iree-compile; --compilers=PATH names one elsewhere.");
}

// Returns the line that says why a program failed: the last one of Python's
// traceback, the first with "error", or the first. "" if it printed nothing.
std::string ReasonIn(absl::string_view output) {
  const std::vector<absl::string_view> lines =
      absl::StrSplit(output, '\n', absl::SkipWhitespace());
  if (lines.empty()) return "";
  absl::string_view reason = lines[0];
  if (absl::StartsWith(reason, "Traceback")) {
    reason = lines.back();
  } else {
    const auto error =
        std::find_if(lines.begin(), lines.end(), [](absl::string_view line) {
          return absl::StrContains(line, "error:");
        });
    if (error != lines.end()) reason = *error;
  }
  return PlainText(reason, kMaxReason);
}

absl::StatusOr<Compiler> Describe(const std::string& program,
                                  const CaptureLimits& limits) {
  constexpr absl::string_view kBefore = "IREE compiler version ";
  Compiler compiler = {program, FindImporter(program), ""};
  ASSIGN_OR_RETURN(const std::string output,
                   RunProgram({program, "--version"}, limits));
  absl::string_view version = output;
  const size_t begin = version.find(kBefore);
  if (begin == version.npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", PlainPath(program),
                     " --version' does not print 'IREE compiler version'; it "
                     "is not iree-compile."));
  }
  version.remove_prefix(begin + kBefore.size());
  version = version.substr(0, version.find_first_of(" \n"));
  compiler.version = PlainName(version.substr(0, version.find("rc")));
  return compiler;
}

}  // namespace

std::span<const Flag> CompilerFlags() { return kCompilerFlags; }

absl::StatusOr<CaptureLimits> CompileLimitsOf(const Arguments& arguments,
                                              const std::atomic<bool>& stop) {
  CaptureLimits limits;
  limits.stop = &stop;
  RETURN_IF_ERROR(ReadDuration(arguments, "compile_timeout", absl::Seconds(1),
                               limits.timeout));
  return limits;
}

absl::StatusOr<std::vector<Compiler>> FindCompilers(
    const Arguments& arguments, const CaptureLimits& limits) {
  ASSIGN_OR_RETURN(const std::vector<std::string> programs,
                   FindPrograms(arguments));
  std::vector<Compiler> compilers;
  for (const std::string& program : programs) {
    ASSIGN_OR_RETURN(compilers.emplace_back(), Describe(program, limits));
  }
  return compilers;
}

std::string TypedName(const std::string& program) {
  const std::string name(FileNameOf(program));
  return FindInPath(name) == program ? name : program;
}

std::string EndText(int exit_code) {
  if (exit_code <= kSignalCode) {
    return absl::StrCat("failed with exit code ", exit_code);
  }
  const int signal = exit_code - kSignalCode;
  return absl::StrCat("was ended by signal ", signal, " (", strsignal(signal),
                      ")");
}

absl::StatusOr<std::string> RunProgram(const std::vector<std::string>& command,
                                       const CaptureLimits& limits) {
  const std::string name = PlainPath(FileNameOf(command[0]));
  absl::StatusOr<Captured> ran = RunAndCapture(command, limits);
  if (absl::IsDeadlineExceeded(ran.status())) {
    return absl::DeadlineExceededError(
        absl::StrCat(name, " is ", ran.status().message(), "."));
  }
  if (!ran.ok()) return ran.status();
  if (ran->exit_code == 0) return std::move(ran->output);
  std::string reason = ReasonIn(ran->errors);
  if (reason.empty()) reason = ReasonIn(ran->output);
  return absl::InvalidArgumentError(absl::StrCat(
      name, " ", EndText(ran->exit_code), reason.empty() ? "." : ": ", reason));
}

}  // namespace eyrie::tools
