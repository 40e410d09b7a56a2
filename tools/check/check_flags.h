// The flags of `eyrie check`: its own, and GoogleTest's.
//
// GoogleTest's flags can also be set by environment variables, such as
// GTEST_FILTER for --gtest_filter. Bazel sets XML_OUTPUT_FILE and
// TESTBRIDGE_TEST_ONLY.
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

// Returns the flags of environment variables, then `args`, which override them.
std::vector<std::string> WithEnvironment(std::span<const char* const> args);

struct CheckOptions {
  std::string filter;
  bool list_tests = false;
  bool disabled_tests = false;  // run them, too
  int64_t repeat = 1;           // negative: for ever
  bool shuffle = false;
  uint32_t seed = 0;
  size_t jobs = 1;
  bool fail_fast = false;
  bool expect_failure = false;
  std::string xml;           // a path; empty: none
  bool xml_folders = false;  // create its parent folders, as GoogleTest does
  std::string xfail;         // a path; empty: none
  bool color = false;
  bool print_time = true;
  bool brief = false;
  // This process is number `shard` of `shards`.
  size_t shard = 0;
  size_t shards = 1;
};

// INVALID_ARGUMENT: a flag has an invalid value.
absl::StatusOr<CheckOptions> ReadCheckOptions(const Arguments& arguments);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CHECK_CHECK_FLAGS_H_
