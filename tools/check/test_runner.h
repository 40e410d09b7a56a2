// Runs tests, each in its own context, on one or more threads.
//
// All tests share the devices. The output of a test is stored with its result.
// Tested by check_test.txt.
#ifndef EYRIE_TOOLS_CHECK_TEST_RUNNER_H_
#define EYRIE_TOOLS_CHECK_TEST_RUNNER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/ref.h"
#include "hal/device.h"
#include "tools/check/check_module.h"
#include "tools/check/test_plan.h"
#include "vm/limits/cancellation.h"

namespace eyrie::tools {

struct TestResult {
  // The error of loading, linking or calling. Failed expectations are not
  // errors.
  absl::Status status;
  std::vector<FailedExpectation> failures;  // the first ones
  uint64_t more_failures = 0;               // not stored
  std::vector<std::string> printed;         // by the module, line by line
  bool interrupted = false;                 // neither passed nor failed
  absl::Time begin;
  absl::Duration elapsed;

  bool passed() const { return status.ok() && failures.empty(); }
};

// Thread-compatible; Stop and stopped are thread-safe.
class TestRunner {
 public:
  using DeviceList = std::vector<Ref<hal::Device>>;
  using Begin = absl::FunctionRef<void(const Test& test)>;
  using End =
      absl::FunctionRef<bool(const Test& test, const TestResult& result)>;

  // Returns the devices of a list, for one test. Must be thread-safe.
  using Devices = std::function<absl::StatusOr<DeviceList>(size_t list)>;

  // `options` are for every context; the modules that tests import are added.
  // TestSuite::devices is an index of a list of `devices`.
  TestRunner(const TestPlan& plan, abi::SessionOptions options, Devices devices)
      : plan_(plan),
        options_(std::move(options)),
        devices_(std::move(devices)) {}

  // Runs the tests with these indices, `jobs` at a time. Calls `begin` before
  // and `end` after each test, on this thread and in order. With several jobs a
  // test may have ended before `begin` is called. No further tests start after
  // `end` returns false. Returns after all started tests have ended.
  void Run(std::span<const size_t> order, size_t jobs, Begin begin, End end);

  // Cancels the running tests and starts no more.
  void Stop();
  bool stopped() const { return cancellation_->IsCancelled(); }

 private:
  class Queue;

  TestResult RunOne(const Test& test);
  absl::Status Call(const Test& test, TestResult& result);
  void RunInOrder(std::span<const size_t> order, Begin begin, End end);

  const TestPlan& plan_;
  const abi::SessionOptions options_;
  const Devices devices_;
  const std::shared_ptr<vm::Cancellation> cancellation_ =
      std::make_shared<vm::Cancellation>();
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CHECK_TEST_RUNNER_H_
