// Small modules that name one long text many times: every command prints a
// bounded text of them or fails with a sentence, in bounded memory.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file_growth.h"
#include "base/sanitized.h"
#include "gtest/gtest.h"
#include "tests/support/shared_module.h"

namespace eyrie::tests {
namespace {

constexpr char kTool[] = "tools/eyrie-full";
constexpr uint64_t kMostMemory = uint64_t{1} << 30;

std::string TestFile(const std::string& name) {
  return absl::StrCat(testing::TempDir(), "/", name);
}

uint64_t SizeOf(const std::string& path) {
  struct stat file = {};
  return stat(path.c_str(), &file) == 0 ? static_cast<uint64_t>(file.st_size)
                                        : 0;
}

struct Outcome {
  int status = 0;
  uint64_t peak = 0;     // bytes of memory
  uint64_t printed = 0;  // to stdout, stderr and the page
  std::string errors;    // their first bytes
};

// Runs the tool with its outputs in files.
Outcome Run(const std::vector<std::string>& arguments) {
  const std::string out = TestFile("out.txt");
  const std::string err = TestFile("err.txt");
  const std::string page = TestFile("page.html");
  unlink(page.c_str());
  std::vector<char*> argv = {const_cast<char*>(kTool)};
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(open(out.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), 1);
    dup2(open(err.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), 2);
    if (!kIsSanitized) {
      const rlimit limit = {4 * kMostMemory, 4 * kMostMemory};
      setrlimit(RLIMIT_AS, &limit);
    }
    execv(kTool, argv.data());
    _exit(127);
  }
  Outcome outcome;
  rusage used = {};
  wait4(child, &outcome.status, 0, &used);
  outcome.peak = static_cast<uint64_t>(used.ru_maxrss) << 10;
  outcome.printed = SizeOf(out) + SizeOf(err) + SizeOf(page);
  std::ifstream errors(err);
  outcome.errors.resize(1000);
  errors.read(outcome.errors.data(), 1000);
  outcome.errors.resize(static_cast<size_t>(errors.gcount()));
  return outcome;
}

std::vector<std::vector<std::string>> Commands(const std::string& file) {
  return {
      {"dump", file},
      {"dump", file, "--json"},
      {"dump", file, "--output=disassembly"},
      {"dump", file, "--signatures"},
      {"inspect", file, "--all"},
      {"inspect", file, "--json"},
      {"inspect", file, "--dot"},
      {"inspect", file, absl::StrCat("--html=", TestFile("page.html"))},
      {"run", file, "--function=run"},
      {"run", file, "--function=nothing"},
  };
}

struct Row {
  SharedPart part;
  size_t text;
  size_t count;
  size_t calls;
  bool refused;  // whatever the command: the tables decode to too much
};

const Row kRows[] = {
    {SharedPart::kNone, 1000000, 1, 1000, false},
    {SharedPart::kModuleName, 1000000, 1, 30000, false},
    {SharedPart::kAttributes, 1000000, 40000, 0, true},
    {SharedPart::kTypes, 1000000, 40000, 0, true},
    {SharedPart::kDependencies, 1000000, 40000, 0, true},
    {SharedPart::kImports, 1000000, 40000, 10, true},
    {SharedPart::kImports, 1000000, 1, 30000, false},
    {SharedPart::kExports, 1000000, 40000, 10, true},
    {SharedPart::kExports, 1000000, 1, 30000, false},
    {SharedPart::kExports, 3, 100000, 0, true},
    {SharedPart::kImportAttributes, 10, 30000, 0, true},
    {SharedPart::kFunctionAttributes, 10, 10000, 0, true},
    {SharedPart::kReflection, 1000000, 10000, 0, true},
    {SharedPart::kConventions, 1000000, 10000, 0, true},
    {SharedPart::kFunctionNames, 1000000, 10000, 0, true},
    {SharedPart::kFunctionNames, 1000000, 2, 30000, false},
    {SharedPart::kFiles, 1000000, 40000, 30000, false},
    {SharedPart::kLocationNames, 1000000, 40000, 30000, false},
    {SharedPart::kFusedMetadata, 1000000, 40000, 0, false},
    {SharedPart::kFusedPlaces, 10, 30000, 30000, false},
};

TEST(SharedText, IsBounded) {
  const std::string file = TestFile("shared.vmfb");
  for (const Row& row : kRows) {
    SharedModule module;
    module.part = row.part;
    module.text = std::string(row.text, '<');
    module.count = row.count;
    module.calls = row.calls;
    const std::vector<uint8_t> bytes = module.Build();
    std::ofstream(file).write(reinterpret_cast<const char*>(bytes.data()),
                              static_cast<std::streamsize>(bytes.size()));
    for (const std::vector<std::string>& command : Commands(file)) {
      SCOPED_TRACE(absl::StrCat("row ", &row - kRows, ", eyrie ", command[0],
                                " ", command[2 % command.size()]));
      const Outcome outcome = Run(command);
      ASSERT_TRUE(WIFEXITED(outcome.status)) << outcome.errors;
      EXPECT_LT(WEXITSTATUS(outcome.status), 2) << outcome.errors;
      EXPECT_LE(outcome.printed, MostTextOf(bytes.size()) + (2 << 20));
      if (!kIsSanitized) EXPECT_LE(outcome.peak, kMostMemory);
      const bool refused =
          absl::StrContains(outcome.errors, "name the same bytes too often");
      EXPECT_EQ(refused, row.refused) << outcome.errors;
    }
  }
}

}  // namespace
}  // namespace eyrie::tests
