#include "tools/check/check_flags.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr int64_t kMaxJobs = 1024;
constexpr uint32_t kSeeds = 100000;  // GoogleTest's number of seeds

constexpr Flag kFlags[] = {
    Heading("Tests"),
    {"filter", FlagKind::kString, "",
     "Runs only tests whose names match a pattern: '*' matches any text, '?' "
     "any\n"
     "character, ':' separates patterns, patterns after '-' exclude tests:\n"
     "  --filter='math.*:*.add-*.slow_*'"},
    {"list_tests", FlagKind::kBool, "false",
     "Lists the tests without running them."},
    {"jobs", FlagKind::kInt, "1",
     "Number of tests that run at the same time; 0: one per processor."},
    {"xfail", FlagKind::kString, "",
     "A file of tests that are known to fail, one pattern and reason per "
     "line.\n"
     "If one of them passes, the run fails."},
    {"xml", FlagKind::kString, "",
     "Writes results to a file in JUnit's XML format."},
    {"expect_failure", FlagKind::kBool, "false",
     "Succeeds only if a test fails or cannot be run."},
    {"gtest_filter", FlagKind::kString, "", "The same as --filter."},
    {"gtest_list_tests", FlagKind::kBool, "false", "The same as --list_tests."},
    {"gtest_output", FlagKind::kString, "",
     "xml, xml:FILE or xml:FOLDER/: the same as --xml."},
    {"gtest_also_run_disabled_tests", FlagKind::kBool, "false",
     "Also runs tests whose names begin with DISABLED_."},
    {"gtest_repeat", FlagKind::kInt, "1",
     "How many times to run all tests; negative: for ever."},
    {"gtest_shuffle", FlagKind::kBool, "false", "Runs tests in random order."},
    {"gtest_random_seed", FlagKind::kInt, "0",
     "Seed of that order; 0: derived from the time."},
    {"gtest_fail_fast", FlagKind::kBool, "false",
     "Starts no further tests after a failure."},
    {"gtest_color", FlagKind::kString, "auto",
     "yes, no, or auto: only on a terminal."},
    {"gtest_print_time", FlagKind::kBool, "true",
     "Prints how long tests take."},
    {"gtest_brief", FlagKind::kBool, "false",
     "Prints only failures and the summary."},
    {"gtest_break_on_failure", FlagKind::kIgnored, "", ""},
    {"gtest_catch_exceptions", FlagKind::kIgnored, "", ""},
    {"gtest_death_test_style", FlagKind::kIgnored, "", ""},
    {"gtest_death_test_use_fork", FlagKind::kIgnored, "", ""},
    {"gtest_fail_if_no_test_linked", FlagKind::kIgnored, "", ""},
    {"gtest_fail_if_no_test_selected", FlagKind::kIgnored, "", ""},
    {"gtest_print_utf8", FlagKind::kIgnored, "", ""},
    {"gtest_recreate_environments_when_repeating", FlagKind::kIgnored, "", ""},
    {"gtest_stack_trace_depth", FlagKind::kIgnored, "", ""},
    {"gtest_stream_result_to", FlagKind::kIgnored, "", ""},
    {"gtest_throw_on_failure", FlagKind::kIgnored, "", ""},
};

// Variables and the flags that they stand for, if the names differ.
constexpr struct {
  const char* variable;
  const char* flag;
} kVariables[] = {
    {"TESTBRIDGE_TEST_ONLY", "--gtest_filter="},
    {"XML_OUTPUT_FILE", "--gtest_output=xml:"},
};

// Reads a variable as a number. Without one, `value` is unchanged.
absl::Status ReadVariable(const char* name, size_t& value) {
  const char* const text = std::getenv(name);
  if (text == nullptr || absl::SimpleAtoi(text, &value)) {
    return absl::OkStatus();
  }
  return UsageError(absl::StrCat(name, "='", text, "' is not a whole number."));
}

absl::Status ReadShards(CheckOptions& options) {
  RETURN_IF_ERROR(ReadVariable("GTEST_TOTAL_SHARDS", options.shards));
  RETURN_IF_ERROR(ReadVariable("GTEST_SHARD_INDEX", options.shard));
  if (options.shard >= std::max<size_t>(options.shards, 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("GTEST_SHARD_INDEX=", options.shard,
                     " is not below GTEST_TOTAL_SHARDS=", options.shards, "."));
  }
  options.shards = std::max<size_t>(options.shards, 1);
  // Creates the file that tells Bazel that sharding is supported.
  const char* const status = std::getenv("GTEST_SHARD_STATUS_FILE");
  if (status != nullptr) {
    if (std::FILE* const file = std::fopen(status, "w")) std::fclose(file);
  }
  return absl::OkStatus();
}

// Returns the path in "xml:a/b.xml".
absl::StatusOr<std::string> OutputPath(absl::string_view text) {
  constexpr char kName[] = "test_detail.xml";
  const std::string given(text);
  if (text.empty()) return std::string();
  if (text == "xml" || text == "xml:") return std::string(kName);
  if (!absl::ConsumePrefix(&text, "xml:")) {
    return UsageError(absl::StrCat("--gtest_output='", given,
                                   "' is not xml, xml:FILE or xml:FOLDER/."));
  }
  std::string path(text);
  if (path.back() == '/') path += kName;
  return path;
}

absl::StatusOr<bool> WantsColor(absl::string_view text) {
  const std::string lower = absl::AsciiStrToLower(text);
  bool value = false;
  if (lower == "auto") {
    const char* const terminal = std::getenv("TERM");
    return isatty(STDOUT_FILENO) != 0 && terminal != nullptr &&
           absl::string_view(terminal) != "dumb" &&
           std::getenv("NO_COLOR") == nullptr;
  }
  if (absl::SimpleAtob(lower, &value)) return value;
  return UsageError(
      absl::StrCat("--gtest_color='", text, "' is not yes, no or auto."));
}

absl::StatusOr<size_t> ReadJobs(int64_t jobs) {
  if (jobs < 0 || jobs > kMaxJobs) {
    return UsageError(
        absl::StrCat("--jobs=", jobs, " is not between 0 and ", kMaxJobs, "."));
  }
  if (jobs == 0) jobs = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<size_t>(jobs);
}

// Returns the value of whichever flag is given.
std::string Either(const Arguments& arguments, const char* a, const char* b) {
  return arguments.IsSet(a) ? arguments.GetString(a) : arguments.GetString(b);
}

}  // namespace

std::span<const Flag> CheckFlags() { return kFlags; }

std::vector<std::string> WithEnvironment(std::span<const char* const> args) {
  std::vector<std::string> all;
  for (const Flag& flag : kFlags) {
    absl::string_view name = flag.name;
    if (!absl::ConsumePrefix(&name, "gtest_")) continue;
    const std::string variable =
        absl::StrCat("GTEST_", absl::AsciiStrToUpper(name));
    if (const char* const value = std::getenv(variable.c_str())) {
      all.push_back(absl::StrCat("--", flag.name, "=", value));
    }
  }
  for (const auto& row : kVariables) {
    if (const char* const value = std::getenv(row.variable)) {
      all.push_back(absl::StrCat(row.flag, value));
    }
  }
  all.insert(all.end(), args.begin(), args.end());
  return all;
}

absl::StatusOr<CheckOptions> ReadCheckOptions(const Arguments& arguments) {
  CheckOptions options;
  for (const char* flag : {"xml", "xfail"}) {
    if (arguments.IsSet(flag) && arguments.GetString(flag).empty()) {
      return UsageError(absl::StrCat("--", flag, "='' names no file."));
    }
  }
  options.filter = Either(arguments, "filter", "gtest_filter");
  options.list_tests =
      arguments.GetBool("list_tests") || arguments.GetBool("gtest_list_tests");
  options.disabled_tests = arguments.GetBool("gtest_also_run_disabled_tests");
  options.repeat = arguments.GetInt("gtest_repeat");
  options.shuffle = arguments.GetBool("gtest_shuffle");
  options.seed = static_cast<uint32_t>(
      static_cast<uint64_t>(arguments.GetInt("gtest_random_seed")) % kSeeds);
  if (options.seed == 0) {
    const int64_t now = Deadline::Now().nanoseconds();
    options.seed = static_cast<uint32_t>(now / 1000000 % kSeeds) + 1;
  }
  ASSIGN_OR_RETURN(options.jobs, ReadJobs(arguments.GetInt("jobs")));
  options.fail_fast = arguments.GetBool("gtest_fail_fast");
  options.expect_failure = arguments.GetBool("expect_failure");
  ASSIGN_OR_RETURN(options.xml,
                   OutputPath(arguments.GetString("gtest_output")));
  options.xml_folders = !arguments.IsSet("xml");
  if (!options.xml_folders) options.xml = arguments.GetString("xml");
  options.xfail = arguments.GetString("xfail");
  ASSIGN_OR_RETURN(options.color,
                   WantsColor(arguments.GetString("gtest_color")));
  options.print_time = arguments.GetBool("gtest_print_time");
  options.brief = arguments.GetBool("gtest_brief");
  RETURN_IF_ERROR(ReadShards(options));
  return options;
}

}  // namespace eyrie::tools
