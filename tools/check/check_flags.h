// The flags of `eyrie check`: GoogleTest's, and its own.
//
// GoogleTest's may come from the environment, too: GTEST_FILTER for
// --gtest_filter; XML_OUTPUT_FILE and TESTBRIDGE_TEST_ONLY are Bazel's names.
// Tested by check_test.txt.
#ifndef EYRIE_TOOLS_CHECK_CHECK_FLAGS_H_
#define EYRIE_TOOLS_CHECK_CHECK_FLAGS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/arg_parser.h"

namespace eyrie::tools {

std::span<const Flag> CheckFlags();

// The command line, with what the environment says before it.
std::vector<std::string> WithEnvironment(std::span<const char* const> args);

struct CheckOptions {
  std::string filter;
  bool list_tests = false;
  bool disabled_tests = false;  // are run, too
  int64_t repeat = 1;           // below 0: for ever
  bool shuffle = false;
  uint32_t seed = 0;
  size_t jobs = 1;
  bool fail_fast = false;
  bool expect_failure = false;
  std::string xml;           // a path; empty: none
  bool xml_folders = false;  // create those on the way to it, as GoogleTest
  std::string xfail;         // a path; empty: none
  bool color = false;
  bool print_time = true;
  bool brief = false;
  // Which of so many processes this is.
  size_t shard = 0;
  size_t shards = 1;
};

// INVALID_ARGUMENT: a value that its flag does not take.
absl::StatusOr<CheckOptions> ReadCheckOptions(const Arguments& arguments);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CHECK_CHECK_FLAGS_H_
