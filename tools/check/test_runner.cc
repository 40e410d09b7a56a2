#include "tools/check/test_runner.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "abi/call/value_text.h"
#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "base/thread.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxFailures = 20;   // stored per test
constexpr size_t kMaxPrinted = 1000;  // lines per test

void AddLine(absl::string_view line, TestResult& result) {
  if (result.printed.size() > kMaxPrinted) return;
  if (result.printed.size() == kMaxPrinted) {
    line = "The test prints more, which is not shown.";
  }
  result.printed.emplace_back(line.data(), line.size());
}

// Returns the options of one test's context, with its output added to `result`.
abi::SessionOptions Listening(abi::SessionOptions options, TestResult& result) {
  options.print = [&result](absl::string_view line) { AddLine(line, result); };
  options.hal.trace = [&result](absl::string_view key,
                                std::span<hal::BufferView* const> tensors) {
    std::string text;
    abi::AppendTrace(key, tensors, {}, text);
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      AddLine(line, result);
    }
  };
  return options;
}

}  // namespace

// Distributes the tests of one run, in order, to threads. Hands their results,
// in the same order, to one thread.
class TestRunner::Queue {
 public:
  explicit Queue(size_t size) : results_(size) {}

  // Returns the index of the next test, or nullopt if none is left or the run
  // is closed or stopped.
  std::optional<size_t> Take(bool stopped) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_ || stopped || next_ == results_.size()) {
      closed_ = true;
      changed_.notify_all();
      return std::nullopt;
    }
    return next_++;
  }

  void Put(size_t place, TestResult result) {
    const std::lock_guard<std::mutex> lock(mutex_);
    results_[place] = std::move(result);
    changed_.notify_all();
  }

  // Waits for the result of a test. Returns nullopt if no thread will run the
  // test.
  std::optional<TestResult> Wait(size_t place) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] {
      return results_[place].has_value() || (closed_ && place >= next_);
    });
    return std::exchange(results_[place], std::nullopt);
  }

  void Close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
  }

 private:
  std::mutex mutex_;  // guards the following
  std::condition_variable changed_;
  size_t next_ = 0;
  bool closed_ = false;
  std::vector<std::optional<TestResult>> results_;
};

absl::Status TestRunner::Call(const Test& test, TestResult& result) {
  const TestSuite& suite = plan_.SuiteOf(test);
  RETURN_IF_ERROR(suite.loaded);
  abi::SessionOptions options = Listening(options_, result);
  options.cancellation = cancellation_;
  const bool checks = absl::c_any_of(suite.programs, [](const auto& program) {
    return abi::UsesModule(program->def(), kCheckModuleName);
  });
  if (checks) {
    ASSIGN_OR_RETURN(auto module, CreateCheckModule([&](auto describe) {
                       if (result.failures.size() == kMaxFailures) {
                         ++result.more_failures;
                       } else {
                         result.failures.push_back(describe());
                       }
                     }));
    options.modules.push_back(std::move(module));
  }
  ASSIGN_OR_RETURN(const DeviceList devices, devices_(suite.devices));
  ASSIGN_OR_RETURN(
      const std::unique_ptr<abi::Session> session,
      abi::Session::Create(suite.programs, devices, std::move(options)));
  // Each test has its own context, so an index of all functions would be built
  // for one lookup.
  ASSIGN_OR_RETURN(const vm::Function function,
                   session->context().Lookup(test.function));
  ASSIGN_OR_RETURN(abi::Callable callable, session->Bind(function));
  return callable.Call({}).status();
}

TestResult TestRunner::RunOne(const Test& test) {
  TestResult result;
  result.begin = absl::Now();
  const Deadline begin = Deadline::Now();
  result.status = Call(test, result);
  result.elapsed = Deadline::Now() - begin;
  // Checks stopped(), too, because a test may return CANCELLED by itself.
  result.interrupted = stopped() && absl::IsCancelled(result.status);
  return result;
}

void TestRunner::RunInOrder(std::span<const size_t> order, Begin begin,
                            End end) {
  for (const size_t index : order) {
    if (stopped()) return;
    const Test& test = plan_.tests()[index];
    begin(test);
    if (!end(test, RunOne(test))) return;
  }
}

void TestRunner::Run(std::span<const size_t> order, size_t jobs, Begin begin,
                     End end) {
  Queue queue(order.size());
  const auto work = [this, order, &queue] {
    while (const std::optional<size_t> place = queue.Take(stopped())) {
      queue.Put(*place, RunOne(plan_.tests()[order[*place]]));
    }
  };
  std::vector<Thread> threads;  // as many as can be started
  for (size_t i = 0; jobs > 1 && i < std::min(jobs, order.size()); ++i) {
    auto thread = Thread::Start("tests", work);
    if (!thread.ok()) break;
    threads.push_back(*std::move(thread));
  }
  if (threads.empty()) return RunInOrder(order, begin, end);
  for (size_t i = 0; i < order.size(); ++i) {
    const std::optional<TestResult> result = queue.Wait(i);
    if (!result.has_value()) break;
    const Test& test = plan_.tests()[order[i]];
    begin(test);
    if (!end(test, *result)) break;
  }
  queue.Close();
  for (Thread& thread : threads) thread.Join();
}

void TestRunner::Stop() { cancellation_->Cancel(); }

}  // namespace eyrie::tools
