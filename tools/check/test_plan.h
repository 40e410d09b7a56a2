// The plan of a test run: modules to load, and their test functions.
//
// A test is an exported function without arguments and results, apart from the
// fences of asynchronous functions. Functions whose names begin with "__" or
// contain '$' are not tests. A test's name is "module.function". If there are
// several modules, their paths from the common folder come first:
// "ops/add/module.function".
// Tested by test_plan_test.cc, check_test.txt.
#ifndef EYRIE_TOOLS_CHECK_TEST_PLAN_H_
#define EYRIE_TOOLS_CHECK_TEST_PLAN_H_

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/check/name_filter.h"

namespace eyrie::tools {

// A file to test, and the prefix of its tests' names.
struct TestFile {
  std::string path;
  std::string prefix;  // "ops/add/"; empty if there is only one file
};

// Returns the files of positional arguments. A folder stands for all *.vmfb
// files in it, sorted. NOT_FOUND: a folder has none, or cannot be read.
absl::StatusOr<std::vector<TestFile>> FindTestFiles(
    const std::vector<std::string>& paths);

// The tests of one module on one list of devices.
struct TestSuite {
  std::string name;    // "ops/add/module/local-task", safe for a terminal
  std::string module;  // "module"
  std::vector<abi::Program> programs;  // the last one has the tests
  size_t devices = 0;                  // index of the list
  absl::Status loaded;                 // the reason if there are no programs
};

struct Test {
  size_t suite;
  std::string function;  // its name in the module
  std::string name;      // safe for a terminal
  bool disabled = false;
};

class TestPlan {
 public:
  // Adds the tests of the last program, as one suite per text in `devices`.
  // Returns the number of functions that are not tests because they have
  // arguments or results.
  size_t Add(const std::string& prefix,
             const std::vector<abi::Program>& programs,
             const std::vector<std::string>& devices);
  // Adds one test, "add.(load)", that fails with `status`.
  void AddUnloadable(const TestFile& file, const absl::Status& status);

  // Removes the tests that the filter does not select.
  void Keep(const NameFilter& filter);
  // Keeps the tests of process `index` of `total` processes.
  void KeepShard(size_t index, size_t total);

  const std::vector<TestSuite>& suites() const { return suites_; }
  const std::vector<Test>& tests() const { return tests_; }
  const TestSuite& SuiteOf(const Test& test) const {
    return suites_[test.suite];
  }
  // "ops/add/module.function"
  std::string FullName(const Test& test) const;
  // Returns the names that select a test: FullName, and "module.function" if
  // that differs.
  std::vector<std::string> Names(const Test& test) const;

 private:
  std::vector<TestSuite> suites_;
  std::vector<Test> tests_;  // grouped by suite
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CHECK_TEST_PLAN_H_
