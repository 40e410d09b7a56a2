// `eyrie check`: runs the tests in compiled modules.
//
// This file loads the modules. test_runner.h runs the tests; console_report.h
// prints the results.
// Tested by check_test.txt.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <utility>

#include "abi/call/session.h"
#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "base/deadline.h"
#include "base/file_writer.h"
#include "base/folders.h"
#include "base/glob.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/arg_parser.h"
#include "tools/check/check_flags.h"
#include "tools/check/console_report.h"
#include "tools/check/expected_failures.h"
#include "tools/check/junit_report.h"
#include "tools/check/name_filter.h"
#include "tools/check/test_plan.h"
#include "tools/check/test_record.h"
#include "tools/check/test_runner.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/interrupt_thread.h"
#include "tools/load_flags.h"
#include "tools/native_flags.h"
#include "tools/other_files.h"
#include "tools/trace_flags.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr char kUsage[] =
    "# Usage: eyrie check [flags] tests.vmfb folder ...\n"
    "# Runs the tests in compiled modules: their functions without arguments\n"
    "# and results, with the expectations that the `check` module offers. A\n"
    "# folder stands for all modules in it.\n"
    "#   eyrie check ops.vmfb --filter='*.add*'\n"
    "#   eyrie check tests/ --jobs=4 --device=local-sync --device=local-task\n"
    "# Each test is run on each --device; \"a,b\" is for programs that want "
    "two.\n"
    "# Modules given by --module are loaded before each of the others; if "
    "there\n"
    "# are no others, the last of them has the tests.\n\n";

// Loads the given files and adds their tests to the plan.
class Loader {
 public:
  Loader(const Arguments& arguments, const std::vector<std::string>& devices)
      : arguments_(arguments), devices_(devices) {}

  absl::Status Load(TestPlan& plan) {
    std::vector<std::string> libraries = arguments_.GetList("module");
    std::vector<std::string> paths = arguments_.positional();
    if (paths.empty() && !libraries.empty()) {
      paths = {libraries.back()};
      libraries.pop_back();
    }
    if (paths.empty()) {
      return UsageError(
          "No module is named; the path of a .vmfb file or of a folder with "
          "such files is needed.");
    }
    ASSIGN_OR_RETURN(const std::vector<TestFile> files, FindTestFiles(paths));
    for (const std::string& path : libraries) {
      ASSIGN_OR_RETURN(abi::Program program,
                       WithCommands(abi::LoadProgram(path), path));
      libraries_.push_back(std::move(program));
    }
    for (const TestFile& file : files) {
      RETURN_IF_ERROR(LoadOne(file, plan));
    }
    return absl::OkStatus();
  }

 private:
  // Adds the tests of one file. If the file is one of several and cannot be
  // loaded, adds a test that fails instead.
  absl::Status LoadOne(const TestFile& file, TestPlan& plan) {
    absl::StatusOr<abi::Program> program =
        WithCommands(abi::LoadProgram(file.path), file.path);
    const bool alone = file.prefix.empty();
    if (!program.ok()) {
      if (alone) return program.status();
      plan.AddUnloadable(file, program.status());
      return absl::OkStatus();
    }
    std::vector<abi::Program> programs = libraries_;
    programs.push_back(*std::move(program));
    const size_t before = plan.tests().size();
    const size_t others = plan.Add(file.prefix, programs, devices_);
    const bool has_tests = plan.tests().size() != before;
    if (has_tests && others == 0) return absl::OkStatus();
    const std::string sentence = Sentence(file.path, has_tests, others);
    if (!has_tests && alone) return absl::InvalidArgumentError(sentence);
    PrintNote(sentence);
    return absl::OkStatus();
  }

  // Returns the message for a module without tests, or with functions that are
  // not tests.
  static std::string Sentence(const std::string& path, bool has_tests,
                              size_t others) {
    const std::string name = absl::StrCat("'", PlainPath(path), "'");
    if (!has_tests) {
      return absl::StrCat(
          name, " has no test: a function without arguments and results",
          others == 0 ? "." : absl::StrCat("; it has ", others, " with some."));
    }
    return absl::StrCat(
        others, others == 1 ? " function of " : " functions of ", name,
        others == 1 ? " has" : " have", " arguments or results, and ",
        others == 1 ? "is not a test." : "are not tests.");
  }

  const Arguments& arguments_;
  const std::vector<std::string>& devices_;
  std::vector<abi::Program> libraries_;
};

// Opens the requested report before the tests run, so that a wrong path fails
// early. Returns null if no report is requested.
absl::StatusOr<std::unique_ptr<FileWriter>> OpenXml(
    const CheckOptions& options) {
  std::unique_ptr<FileWriter> file;
  if (options.xml.empty()) return file;
  // If this fails, opening the file reports the error.
  if (options.xml_folders) {
    const size_t slash = options.xml.rfind('/');
    CreateFolders(options.xml.substr(0, slash + 1)).IgnoreError();
  }
  file = std::make_unique<FileWriter>(options.xml);
  RETURN_IF_ERROR(file->status());
  return file;
}

// Decides what an interrupt does to the run.
class Interruption {
 public:
  // Makes an interrupt stop this runner. If null, an interrupt ends the
  // process.
  void Watch(TestRunner* runner) {
    const std::lock_guard<std::mutex> lock(mutex_);
    runner_ = runner;
  }
  void Interrupt() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (runner_ == nullptr) InterruptWatch::Exit();
    interrupted_ = true;
    runner_->Stop();
  }
  bool interrupted() const { return interrupted_; }

 private:
  std::mutex mutex_;  // guards runner_, which must live until Watch(null)
  TestRunner* runner_ = nullptr;
  std::atomic<bool> interrupted_ = false;
};

// Runs the tests of a plan, repeatedly if requested.
class Check {
 public:
  Check(const CheckOptions& options, TestPlan plan,
        ExpectedFailures expected_failures)
      : options_(options),
        plan_(std::move(plan)),
        expected_failures_(std::move(expected_failures)),
        random_(options.seed) {}

  // Returns the text of --list_tests: the selected tests by suite.
  std::string ListText() const;
  // Returns false if a test failed. Fails if the report cannot be written.
  absl::StatusOr<bool> Run(TestRunner& runner);
  // Applies the filter and the shard. INVALID_ARGUMENT: no module has a test,
  // or none matches the filter.
  absl::Status Select();

  const TestPlan& plan() const { return plan_; }

 private:
  std::vector<size_t> Order();
  void PrintHeader(ConsoleReport& report) const;
  bool RunOnce(TestRunner& runner, ConsoleReport& report);
  TestRecord Judge(const Test& test, const TestResult& result) const;
  absl::Status WriteXml(FileWriter& file) const;

  const CheckOptions options_;
  TestPlan plan_;
  const ExpectedFailures expected_failures_;
  std::mt19937 random_;
  size_t disabled_ = 0;

  // State of the last run.
  std::vector<size_t> order_;
  std::vector<TestRecord> records_;
  absl::Time begin_;  // wall clock, for the report
  Deadline clock_begin_;
};

absl::Status Check::Select() {
  for (const ExpectedFailure& line : expected_failures_.lines()) {
    const bool used = absl::c_any_of(plan_.tests(), [&](const Test& test) {
      return absl::c_any_of(plan_.Names(test), [&](const std::string& name) {
        return MatchesPattern(name, line.pattern);
      });
    });
    if (!used) {
      PrintNote(absl::StrCat(line.place, ": no test is named '",
                             PlainName(line.pattern), "'."));
    }
  }
  const size_t all = plan_.tests().size();
  if (all == 0) return absl::InvalidArgumentError("No module has a test.");
  plan_.Keep(NameFilter(options_.filter));
  if (plan_.tests().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("No test matches --filter='", options_.filter, "'; there ",
                     all == 1 ? "is 1" : absl::StrCat("are ", all),
                     ", which --list_tests lists."));
  }
  plan_.KeepShard(options_.shard, options_.shards);
  if (!options_.disabled_tests) {
    disabled_ = static_cast<size_t>(absl::c_count_if(
        plan_.tests(), [](const Test& test) { return test.disabled; }));
  }
  return absl::OkStatus();
}

std::string Check::ListText() const {
  std::string text;
  std::optional<size_t> suite;
  for (const Test& test : plan_.tests()) {
    if (suite != test.suite) {
      absl::StrAppend(&text, plan_.SuiteOf(test).name, ".\n");
    }
    suite = test.suite;
    absl::StrAppend(&text, "  ", test.name, "\n");
  }
  return text;
}

// Returns the indices of the tests to run: suites in order and, within them,
// their tests. Shuffled if requested.
std::vector<size_t> Check::Order() {
  std::vector<std::vector<size_t>> suites(plan_.suites().size());
  for (size_t i = 0; i < plan_.tests().size(); ++i) {
    const Test& test = plan_.tests()[i];
    if (test.disabled && !options_.disabled_tests) continue;
    suites[test.suite].push_back(i);
  }
  if (options_.shuffle) {
    for (auto& suite : suites) absl::c_shuffle(suite, random_);
    absl::c_shuffle(suites, random_);
  }
  std::vector<size_t> order;
  for (const auto& suite : suites) {
    order.insert(order.end(), suite.begin(), suite.end());
  }
  return order;
}

TestRecord Check::Judge(const Test& test, const TestResult& result) const {
  TestRecord record = {&test, Verdict::kPassed, result, ""};
  const ExpectedFailure* const expected =
      expected_failures_.Find(plan_.Names(test));
  if (result.interrupted) {
    record.verdict = Verdict::kInterrupted;
  } else if (expected != nullptr) {
    record.verdict =
        result.passed() ? Verdict::kUnexpectedPass : Verdict::kExpectedFailure;
    record.note = absl::StrCat(
        "(", expected->place,
        result.passed() ? " expects it to fail" : " expects this",
        expected->reason.empty() ? "" : ": ", expected->reason, ")");
  } else if (!result.passed()) {
    record.verdict = Verdict::kFailed;
  }
  return record;
}

bool Check::RunOnce(TestRunner& runner, ConsoleReport& report) {
  records_.clear();
  order_ = Order();
  begin_ = absl::Now();
  clock_begin_ = Deadline::Now();
  report.BeginRun(order_);
  bool passed = true;
  runner.Run(
      order_, options_.jobs, [&](const Test& test) { report.BeginTest(test); },
      [&](const Test& test, const TestResult& result) {
        records_.push_back(Judge(test, result));
        report.EndTest(records_.back());
        passed &= !records_.back().counts_as_failure();
        return passed || !options_.fail_fast;
      });
  report.EndRun(records_, runner.stopped(), disabled_);
  return passed;
}

absl::Status Check::WriteXml(FileWriter& file) const {
  RETURN_IF_ERROR(file.WriteText(JUnitXml(plan_, order_, records_, begin_,
                                          Deadline::Now() - clock_begin_)));
  return file.Finish();
}

void Check::PrintHeader(ConsoleReport& report) const {
  if (!options_.filter.empty() && options_.filter != "*") {
    report.Print(absl::StrCat(
        "Note: Google Test filter = ", PlainName(options_.filter), "\n"));
  }
  if (options_.shards > 1) {
    report.Print(absl::StrCat("Note: This is test shard ", options_.shard + 1,
                              " of ", options_.shards, ".\n"));
  }
  if (options_.shuffle) {
    report.Print(absl::StrCat("Note: Randomizing tests' orders with a seed of ",
                              options_.seed, " .\n"));
  }
}

absl::StatusOr<bool> Check::Run(TestRunner& runner) {
  ASSIGN_OR_RETURN(const std::unique_ptr<FileWriter> xml, OpenXml(options_));
  // The file must be written even if the reader of stdout exits early.
  if (xml != nullptr) std::signal(SIGPIPE, SIG_IGN);
  ConsoleReport report(plan_, {options_.color, options_.print_time,
                               options_.brief, options_.jobs});
  PrintHeader(report);
  bool passed = true;
  for (int64_t i = 1; options_.repeat < 0 || i <= options_.repeat; ++i) {
    if (options_.repeat != 1) {
      report.Print(
          absl::StrCat("\nRepeating all tests (iteration ", i, ") . . .\n\n"));
    }
    passed &= RunOnce(runner, report);
    if (runner.stopped() || (!passed && options_.fail_fast)) break;
  }
  if (xml != nullptr) RETURN_IF_ERROR(WriteXml(*xml));
  return passed;
}

// Opens the devices of a list, for example "a,b".
absl::StatusOr<TestRunner::DeviceList> OpenDeviceList(
    const Arguments& arguments, const std::string& text) {
  ASSIGN_OR_RETURN(const hal::DriverOptions options,
                   DriverOptionsOf(arguments));
  const std::vector<std::string> uris = absl::StrSplit(text, ',');
  return abi::OpenDevices(uris, options);
}

// Returns false if a test failed.
absl::StatusOr<bool> RunChecks(const Arguments& arguments,
                               const CheckOptions& options,
                               Interruption& interruption) {
  std::vector<std::string> devices = arguments.GetList("device");
  if (devices.empty()) devices.push_back(abi::kDefaultDevice);
  ExpectedFailures expected_failures;
  if (!options.xfail.empty()) {
    ASSIGN_OR_RETURN(expected_failures, ExpectedFailures::Read(options.xfail));
  }
  ASSIGN_OR_RETURN(Tracing tracing, Tracing::Prepare(arguments));
  abi::SessionOptions session_options;
  RETURN_IF_ERROR(ReadSessionOptions(arguments, session_options));
  TestPlan plan;
  RETURN_IF_ERROR(Loader(arguments, devices).Load(plan));
  Check check(options, std::move(plan), std::move(expected_failures));
  RETURN_IF_ERROR(check.Select());
  if (options.list_tests) {
    RETURN_IF_ERROR(WriteStdout(check.ListText()));
    return true;
  }
  ASSIGN_OR_RETURN(session_options.native_libraries,
                   LoadNativeLibraries(arguments));
  std::vector<TestRunner::DeviceList> lists;
  for (const std::string& text : devices) {
    ASSIGN_OR_RETURN(TestRunner::DeviceList list,
                     OpenDeviceList(arguments, text));
    lists.push_back(std::move(list));
  }
  // The limit applies to each test separately.
  session_options.memory = nullptr;
  RETURN_IF_ERROR(tracing.Begin());
  // A fault of an isolated kernel fails all calls on its device, for good. So
  // each test has devices of its own.
  const bool is_isolated = arguments.GetBool("isolate");
  const auto open = [&](size_t i) -> absl::StatusOr<TestRunner::DeviceList> {
    if (!is_isolated) return lists[i];
    return OpenDeviceList(arguments, devices[i]);
  };
  TestRunner runner(check.plan(), std::move(session_options), open);
  interruption.Watch(&runner);
  const absl::StatusOr<bool> passed = check.Run(runner);
  interruption.Watch(nullptr);
  if (arguments.GetBool("print_statistics")) {
    for (const auto& list : lists) PrintStatistics(list);
  }
  absl::Status traced = tracing.Finish();
  if (passed.ok() && !traced.ok()) return traced;
  return passed;
}

// Returns the exit code.
int RunWith(const Arguments& arguments, const CheckOptions& options) {
  Interruption interruption;
  // Must start before all other threads, so that none of them takes the signal.
  const InterruptThread watch([&interruption] { interruption.Interrupt(); });
  const absl::StatusOr<bool> passed =
      RunChecks(arguments, options, interruption);
  const int failure = passed.ok() ? 1 : ReportError(passed.status());
  if (interruption.interrupted()) return InterruptWatch::kExitCode;
  const bool failed = !passed.value_or(false);
  if (!options.expect_failure || options.list_tests) {
    return failed ? failure : 0;
  }
  const absl::Status written =
      WriteStdout(failed ? "Test failed as expected\n"
                         : "Test passed but expected failure\n");
  return failed && written.ok() ? 0 : 1;
}

}  // namespace

int CheckMain(std::span<const char* const> args) {
  const std::vector<Flag> flags = WithSessionFlags(CheckFlags());
  const std::vector<std::string> all = WithEnvironment(args);
  std::vector<const char*> pointers;
  for (const std::string& arg : all) pointers.push_back(arg.c_str());
  const absl::StatusOr<Arguments> arguments = ParseArguments(flags, pointers);
  if (!arguments.ok()) return ReportError(arguments.status());
  if (arguments->GetBool("help")) {
    const absl::Status status =
        WriteStdout(absl::StrCat(kUsage, FlagsHelp(flags)));
    return status.ok() ? 0 : ReportError(status);
  }
  ReportIgnoredFlags(*arguments);
  const absl::StatusOr<CheckOptions> options = ReadCheckOptions(*arguments);
  if (!options.ok()) return ReportError(options.status());
  const int code = RunWith(*arguments, *options);
  const absl::Status printed = CheckStdout();
  return code != 0 || printed.ok() ? code : ReportError(printed);
}

}  // namespace eyrie::tools
