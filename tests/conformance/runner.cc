// Runs conformance suites: `runner [--list] [FILE | FOLDER]...`. Without paths,
// runs Eyrie's own. Prints a line per file, and a line per case that does not
// pass.
//
// Tested by runner_test.sh.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tests/conformance/suite.h"

namespace eyrie::tests {
namespace {

constexpr char kOwnSuites[] = "tests/conformance/vm";

struct Totals {
  size_t files = 0;
  size_t cases = 0;
  size_t failures = 0;    // of cases
  size_t unreadable = 0;  // files
  size_t skipped = 0;
};

constexpr char kUsage[] =
    "usage: runner [--list] [FILE | FOLDER]...\n"
    "Runs the conformance suites in files of assembly, or all below a folder;\n"
    "without any our own. Every exported function without arguments is a "
    "case,\n"
    "which must return, or fail if its name begins with fail_.\n"
    "  --list  names the cases and runs none\n";

// Resolves a relative path in the user's folder, because `bazel run` starts
// tools in another one.
std::string UserPath(const std::string& path) {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder == nullptr || path[0] == '/') return path;
  return absl::StrCat(folder, "/", path);
}

void Print(const std::string& line) { std::fputs(line.c_str(), stdout); }

std::string SkippedText(size_t count) {
  if (count == 0) return "";
  return absl::StrCat(", ", count, " with arguments skipped");
}

absl::Status RunFile(const std::string& path, bool list, Totals& totals) {
  ASSIGN_OR_RETURN(const Suite suite, LoadSuite(path));
  ++totals.files;
  totals.skipped += suite.skipped();
  if (list) {
    for (const std::string& name : suite.CaseNames()) {
      Print(absl::StrCat(suite.module->def().name, ".", name, "\n"));
      ++totals.cases;
    }
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<CaseResult> results, RunSuite(suite));
  size_t passed = 0;
  for (const CaseResult& result : results) {
    passed += result.passed ? 1 : 0;
    if (result.passed) continue;
    Print(absl::StrCat(
        "FAILED ", path, " ", result.name, ": ",
        result.outcome.ok() ? "it returned" : result.outcome.ToString(), "\n"));
  }
  Print(absl::StrCat(path, ": ", passed, " of ", results.size(),
                     SkippedText(suite.skipped()), "\n"));
  totals.cases += results.size();
  totals.failures += results.size() - passed;
  return absl::OkStatus();
}

absl::Status RunAll(const std::vector<std::string>& paths, bool list,
                    Totals& totals) {
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(const std::vector<std::string> files, ListSuites(path));
    for (const std::string& file : files) {
      const absl::Status status = RunFile(file, list, totals);
      if (status.ok()) continue;
      // The cases of a file that does not load are unknown; other files still
      // run.
      ++totals.unreadable;
      Print(absl::StrCat("FAILED ", file, ": ", status.ToString(), "\n"));
    }
  }
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  std::vector<std::string> paths;
  bool list = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--list") == 0) {
      list = true;
    } else if (std::strcmp(argv[i], "--help") == 0) {
      Print(kUsage);
      return 0;
    } else if (argv[i][0] == '-') {
      std::fprintf(stderr, "runner: there is no flag %s.\n%s", argv[i], kUsage);
      return 1;
    } else {
      paths.push_back(UserPath(argv[i]));
    }
  }
  if (paths.empty()) paths.push_back(kOwnSuites);
  Totals totals;
  if (const absl::Status status = RunAll(paths, list, totals); !status.ok()) {
    std::fprintf(stderr, "runner: %s\n", status.ToString().c_str());
    return 1;
  }
  std::string line =
      absl::StrCat(totals.cases, " cases in ", totals.files, " files");
  if (!list) absl::StrAppend(&line, ", ", totals.failures, " failures");
  absl::StrAppend(&line, SkippedText(totals.skipped));
  if (totals.unreadable != 0) {
    absl::StrAppend(&line, ", ", totals.unreadable, " files do not load");
  }
  Print(line + "\n");
  const bool good = totals.failures + totals.unreadable == 0;
  return good && totals.cases != 0 ? 0 : 1;
}

}  // namespace
}  // namespace eyrie::tests

int main(int argc, char** argv) { return eyrie::tests::Main(argc, argv); }
