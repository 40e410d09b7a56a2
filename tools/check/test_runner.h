// Runs tests: each in a context of its own, several at a time.
//
// Devices are shared by all tests. What a test prints is kept, to be shown with
// its result. Tested by check_test.txt.
#ifndef EYRIE_TOOLS_CHECK_TEST_RUNNER_H_
#define EYRIE_TOOLS_CHECK_TEST_RUNNER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/session.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/ref.h"
#include "hal/device.h"
#include "tools/check/check_module.h"
#include "tools/check/test_plan.h"
#include "vm/cancellation.h"

namespace eyrie::tools {

struct TestResult {
  // What could not be done: to load, to link, to call. Failed expectations are
  // no error of a call.
  absl::Status status;
  std::vector<FailedExpectation> failures;  // the first ones
  uint64_t more_failures = 0;               // that are not kept
  std::vector<std::string> printed;         // by the module, line by line
  bool interrupted = false;                 // neither passed nor failed
  absl::Time begin;
  absl::Duration elapsed;

  bool passed() const { return status.ok() && failures.empty(); }
};

// Made and run by one thread; Stop may be called on any.
class TestRunner {
 public:
  using DeviceList = std::vector<Ref<hal::Device>>;
  using Begin = absl::FunctionRef<void(const Test& test)>;
  using End =
      absl::FunctionRef<bool(const Test& test, const TestResult& result)>;

  // `options` are those of every context; the modules that the tests import
  // are added. `devices` are what TestSuite::devices counts.
  TestRunner(const TestPlan& plan, abi::SessionOptions options,
             std::vector<DeviceList> devices)
      : plan_(plan),
        options_(std::move(options)),
        devices_(std::move(devices)) {}

  // Runs the tests of these indices, `jobs` at a time. On this thread and in
  // order, `begin` is called before a test and `end` with its result, which
  // returns whether to go on. With several jobs a test may have ended when
  // `begin` is called. Returns when all that have begun have ended.
  void Run(std::span<const size_t> order, size_t jobs, Begin begin, End end);

  // Cancels the running tests and begins no more.
  void Stop();
  bool stopped() const { return stopped_; }

 private:
  class Queue;

  TestResult RunOne(const Test& test);
  absl::Status Call(const Test& test, TestResult& result);
  void RunInOrder(std::span<const size_t> order, Begin begin, End end);

  const TestPlan& plan_;
  const abi::SessionOptions options_;
  const std::vector<DeviceList> devices_;
  std::atomic<bool> stopped_ = false;
  const std::shared_ptr<vm::Cancellation> cancellation_ =
      std::make_shared<vm::Cancellation>();
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CHECK_TEST_RUNNER_H_
