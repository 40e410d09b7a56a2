// The tests of modules: what is to be loaded, and which functions are tests.
//
// A test is an exported function without arguments and results (an asynchronous
// one takes its fences, which do not count), unless its name begins with "__"
// or holds '$'. Its name is "module.function". Of several modules the file goes
// before it, from the folder that holds them all: "ops/add/module.function".
// Tested by test_plan_test.cc, check_test.txt.
#ifndef EYRIE_TOOLS_CHECK_TEST_PLAN_H_
#define EYRIE_TOOLS_CHECK_TEST_PLAN_H_

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "abi/session.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/check/name_filter.h"

namespace eyrie::tools {

// A file to test, and what tests of it are called by.
struct TestFile {
  std::string path;
  std::string prefix;  // "ops/add/"; empty if there is one file alone
};

// The files that plain arguments name: folders stand for all *.vmfb in them,
// sorted. NOT_FOUND: a folder has none, or cannot be read.
absl::StatusOr<std::vector<TestFile>> FindTestFiles(
    const std::vector<std::string>& paths);

// The tests of one module on one list of devices.
struct TestSuite {
  std::string name;    // "ops/add/module/local-task", fit for a terminal
  std::string module;  // "module"
  std::vector<abi::Program> programs;  // the last one has the tests
  size_t devices = 0;                  // which of the lists
  absl::Status loaded;                 // why there are no programs
};

struct Test {
  size_t suite;
  std::string function;  // as the module has it
  std::string name;      // fit for a terminal
  bool disabled = false;
};

class TestPlan {
 public:
  // Adds the tests of the last program; then, `devices` texts, one suite each.
  // Returns how many functions are no tests, since they take or give something.
  size_t Add(const std::string& prefix,
             const std::vector<abi::Program>& programs,
             const std::vector<std::string>& devices);
  // Adds one test, "add.(load)", that fails so.
  void AddUnloadable(const TestFile& file, const absl::Status& status);

  // Keeps the tests that the filter takes, by any of their names.
  void Keep(const NameFilter& filter);
  // Keeps those that one of `total` processes is to run.
  void KeepShard(size_t index, size_t total);

  const std::vector<TestSuite>& suites() const { return suites_; }
  const std::vector<Test>& tests() const { return tests_; }
  const TestSuite& SuiteOf(const Test& test) const {
    return suites_[test.suite];
  }
  // "ops/add/module.function"
  std::string FullName(const Test& test) const;
  // That, and the name without file and device.
  std::vector<std::string> Names(const Test& test) const;

 private:
  std::vector<TestSuite> suites_;
  std::vector<Test> tests_;  // of one suite together
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CHECK_TEST_PLAN_H_
