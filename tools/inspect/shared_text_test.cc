// Small modules that name one long text many times. Every command must print a
// limited amount of text or fail with an error, in limited memory.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/file_growth.h"
#include "base/sanitized.h"
#include "base/status_macros.h"
#include "base/text_stream.h"
#include "gtest/gtest.h"
#include "hal/driver.h"
#include "tests/support/shared_module.h"
#include "tools/inspect/report.h"
#include "tools/json_object.h"
#include "tools/module_text.h"
#include "vm/asm/disassembler.h"
#include "vm/module/archive.h"
#include "vm/module/module_def.h"
#include "vm/module/verifier.h"

namespace eyrie::tools {
namespace {

using tests::SharedPart;

// Limit of a process's memory, in addition to eight times the file.
constexpr uint64_t kMaxMemory = uint64_t{96} << 20;
constexpr uint64_t kMaxAddresses = uint64_t{4} << 30;
// Seconds of processor time. The slowest row takes 2 to 4.5; text without a
// bound takes minutes.
constexpr double kMaxSeconds = 12;

// Prints a command's output for a file, or returns its error.
using Print = absl::Status (*)(const std::string& path, TextSink sink);

absl::StatusOr<vm::ModuleDef> Decode(const std::string& path) {
  ASSIGN_OR_RETURN(auto archive, vm::Archive::Open(path));
  return vm::ModuleDef::Decode(std::move(archive));
}

absl::Status Metadata(const std::string& path, TextSink sink) {
  ASSIGN_OR_RETURN(const vm::ModuleDef module, Decode(path));
  TextStream to(MostTextOf(module.archive().bytes().size()), sink);
  PrintMetadata(module, to);
  return to.Finish();
}

absl::Status MetadataAsJson(const std::string& path, TextSink sink) {
  ASSIGN_OR_RETURN(const vm::ModuleDef module, Decode(path));
  TextStream to(MostTextOf(module.archive().bytes().size()), sink);
  JsonObject object(to);
  PrintMetadataJson(module, nullptr, object);
  object.End();
  return to.Finish();
}

absl::Status Signatures(const std::string& path, TextSink sink) {
  ASSIGN_OR_RETURN(const vm::ModuleDef module, Decode(path));
  return sink(SignaturesText(module, nullptr));
}

absl::Status Disassembly(const std::string& path, TextSink sink) {
  ASSIGN_OR_RETURN(const auto module, vm::LoadModule(path));
  return vm::Disassemble(*module, {}, sink);
}

absl::StatusOr<Report> ReportOf(const std::string& path) {
  return CreateReport(path, hal::DriverOptions());
}

absl::Status Text(const std::string& path, TextSink sink) {
  ASSIGN_OR_RETURN(const Report report, ReportOf(path));
  return sink(ReportText(report, 0));
}

absl::Status Json(const std::string& path, TextSink sink) {
  ASSIGN_OR_RETURN(const Report report, ReportOf(path));
  return PrintReportJson(report, sink);
}

absl::Status Dot(const std::string& path, TextSink sink) {
  ASSIGN_OR_RETURN(const Report report, ReportOf(path));
  return sink(ReportDot(report));
}

absl::Status Html(const std::string& path, TextSink sink) {
  ASSIGN_OR_RETURN(const Report report, ReportOf(path));
  return PrintReportHtml(report, sink);
}

// Prints the errors of calling a missing function and an existing one.
absl::Status Run(const std::string& path, TextSink sink) {
  ASSIGN_OR_RETURN(const abi::Program program, abi::LoadProgram(path));
  ASSIGN_OR_RETURN(auto session, abi::Session::Create({program}, {}));
  for (const char* name : {"absent", "run"}) {
    auto function = session->Lookup(name);
    const absl::Status status =
        function.ok() ? function->Call({}).status() : function.status();
    RETURN_IF_ERROR(sink(status.ToString()));
  }
  return absl::OkStatus();
}

const struct {
  const char* name;
  Print print;
} kCommands[] = {
    {"dump", Metadata},
    {"dump --json", MetadataAsJson},
    {"dump --signatures", Signatures},
    {"dump --output=disassembly", Disassembly},
    {"inspect --all", Text},
    {"inspect --json", Json},
    {"inspect --dot", Dot},
    {"inspect --html", Html},
    {"run", Run},
};

struct Outcome {
  int status = 0;
  uint64_t peak = 0;     // bytes of memory
  double seconds = 0;    // of processor time
  uint64_t printed = 0;  // bytes of text
  std::string error;     // its first bytes
};

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) / 1e6;
}

// Prints in a child process with its own memory limit.
Outcome RunApart(Print print, const std::string& path) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (!kIsSanitized) {
      const rlimit limit = {kMaxAddresses, kMaxAddresses};
      setrlimit(RLIMIT_AS, &limit);
    }
    uint64_t printed = 0;
    const absl::Status status = print(path, [&printed](absl::string_view text) {
      printed += text.size();
      return absl::OkStatus();
    });
    const std::string told =
        absl::StrCat(printed, " ", status.message().substr(0, 1000));
    _exit(write(ends[1], told.data(), told.size()) < 0 ? 1 : 0);
  }
  close(ends[1]);
  std::string told(2000, '\0');
  const ssize_t size = read(ends[0], told.data(), told.size());
  told.resize(size < 0 ? 0 : static_cast<size_t>(size));
  close(ends[0]);
  Outcome outcome;
  rusage used = {};
  wait4(child, &outcome.status, 0, &used);
  outcome.peak = static_cast<uint64_t>(used.ru_maxrss) << 10;
  outcome.seconds = Seconds(used.ru_utime) + Seconds(used.ru_stime);
  const size_t blank = std::min(told.find(' '), told.size());
  EXPECT_TRUE(absl::SimpleAtoi(told.substr(0, blank), &outcome.printed));
  outcome.error = told.substr(std::min(blank + 1, told.size()));
  return outcome;
}

struct Row {
  SharedPart part;
  size_t text;  // bytes
  size_t count;
  size_t calls;
  bool refused;  // whatever the command: the tables decode to too much
  // The text repeats this unit until it is long enough.
  absl::string_view unit = "<";
};

const Row kRows[] = {
    {SharedPart::kNone, 1000000, 1, 1000, false},
    {SharedPart::kModuleName, 1000000, 1, 5000, false},
    {SharedPart::kAttributes, 1000000, 40000, 0, true},
    {SharedPart::kTypes, 1000000, 40000, 0, true},
    {SharedPart::kDependencies, 1000000, 40000, 0, true},
    {SharedPart::kImports, 1000000, 40000, 10, true},
    {SharedPart::kImports, 1000000, 1, 5000, false},
    {SharedPart::kExports, 1000000, 40000, 10, true},
    {SharedPart::kExports, 1000000, 1, 5000, false},
    {SharedPart::kExports, 3, 100000, 0, true},
    {SharedPart::kImportAttributes, 10, 30000, 0, true},
    {SharedPart::kFunctionAttributes, 10, 10000, 0, true},
    {SharedPart::kReflection, 1000000, 10000, 0, true},
    {SharedPart::kConventions, 1000000, 10000, 0, true},
    {SharedPart::kFunctionNames, 1000000, 10000, 0, true},
    {SharedPart::kFunctionNames, 1000000, 2, 5000, false},
    {SharedPart::kFiles, 1000000, 40000, 5000, false},
    {SharedPart::kLocationNames, 1000000, 40000, 5000, false},
    {SharedPart::kFusedMetadata, 1000000, 40000, 0, false},
    {SharedPart::kFusedPlaces, 10, 30000, 5000, false},
    // Output many times as large as a large file: accepted and refused.
    {SharedPart::kFiles, 4000000, 60, 5000, false},
    {SharedPart::kFiles, 4000000, 60, 0, false, "\""},
    {SharedPart::kFiles, 4000000, 40000, 5000, false},
    {SharedPart::kModuleName, 4000000, 1, 5000, false},
    // Names of functions, and attributes by name.
    {SharedPart::kReflection, 10, 50000, 0, false},
    {SharedPart::kKeys, 3, 60000, 0, false},
    // Reflection: deep, wide, and shared by few functions.
    {SharedPart::kReflection, 1000000, 1, 0, false, "["},
    {SharedPart::kReflection, 1000000, 1, 0, false, "{\"a\":["},
    {SharedPart::kReflection, 1000000, 1, 0, false, "[],"},
    {SharedPart::kReflection, 1000000, 1, 0, false, "0,"},
    {SharedPart::kReflection, 300000, 3, 0, false, "\"a\":[0],"},
};

std::string TextOf(const Row& row) {
  std::string text;
  while (text.size() < row.text) absl::StrAppend(&text, row.unit);
  if (row.part == SharedPart::kReflection && row.unit != "<") {
    // Makes the text a JSON list of arguments, if it can be one.
    return absl::StrCat("{\"v\":1,\"a\":[", text, "0],\"r\":[]}");
  }
  text.resize(row.text);
  return text;
}

TEST(SharedText, IsBounded) {
  const std::string path = testing::TempDir() + "/shared.vmfb";
  for (const Row& row : kRows) {
    tests::SharedModule module;
    module.part = row.part;
    module.text = TextOf(row);
    module.count = row.count;
    module.calls = row.calls;
    const std::vector<uint8_t> bytes = module.Build();
    std::ofstream(path).write(reinterpret_cast<const char*>(bytes.data()),
                              static_cast<std::streamsize>(bytes.size()));
    for (const auto& command : kCommands) {
      SCOPED_TRACE(absl::StrCat("row ", &row - kRows, ", ", command.name));
      const Outcome outcome = RunApart(command.print, path);
      ASSERT_TRUE(WIFEXITED(outcome.status)) << outcome.status;
      EXPECT_LE(outcome.printed, MostTextOf(bytes.size()) + (2 << 20));
      if (!kIsSanitized) {
        EXPECT_LE(outcome.peak, kMaxMemory + 8 * bytes.size());
        EXPECT_LE(outcome.seconds, kMaxSeconds);
      }
      // The verifier may count too many tables in shared lists.
      const bool refused =
          absl::StrContains(outcome.error, "FlatBuffer is damaged") ||
          absl::StrContains(outcome.error, "name the same bytes too often");
      EXPECT_EQ(refused, row.refused) << outcome.error;
    }
  }
}

}  // namespace
}  // namespace eyrie::tools
