// Tests pending calls through the C++ API: functions that yield, asynchronous
// functions, errors, abandoned calls, and other calls in between.
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/strings/str_cat.h"
#include "eyrie/pending_call.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "tests/support/contexts.h"

namespace eyrie {
namespace {

// An event loop: accepts wakes from any thread, and passes them to the waiting
// thread.
class Loop {
 public:
  void Wake() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++wakes_;
    woken_.notify_one();
  }
  // Runs a call to its end. Returns the number of steps.
  int Drive(PendingCall& call) {
    for (int pieces = 1;; ++pieces) {
      if (call.Poll()) return pieces;
      std::unique_lock<std::mutex> lock(mutex_);
      woken_.wait(lock, [this] { return wakes_ > 0; });
      --wakes_;
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  int wakes_ = 0;
};

struct PendingRow {
  const char* module;
  const char* function;
  std::vector<Value> arguments;
  const char* want;  // null: the same as Function::Call
  int pieces;        // at least
};

TEST(PendingCallTest, GivesWhatACallGives) {
  const Value four = *Value::Array({4}, {1.f, 2.f, 3.f, 4.f});
  const PendingRow rows[] = {
      {"3.13/vm_yield.vmfb", "yield_loop", {3}, "3", 4},
      {"3.13/vm_yield.vmfb", "yield_loop", {0}, "0", 1},
      {"3.13/loops.vmfb", "gcd", {1071, 462}, "21", 1},
      {"3.13/add.vmfb", "add", {four, four}, nullptr, 1},
      {"3.13/add.async.vmfb", "add", {four, four}, nullptr, 1},
      {"3.13/vm_control.vmfb", "fail_if", {1}, nullptr, 1},
  };
  for (const PendingRow& row : rows) {
    SCOPED_TRACE(absl::StrCat(row.module, " @", row.function));
    Context context = tests::OpenContext(row.module);
    auto function = context.Find(row.function);
    if (!function) ADD_FAILURE() << function.error().message();
    if (!function) continue;
    Loop loop;
    auto call =
        PendingCall::Begin(*function, row.arguments, [&loop] { loop.Wake(); });
    ASSERT_TRUE(call) << call.error().message();
    EXPECT_GE(loop.Drive(*call), row.pieces);
    const std::string got = Text(call->Results());
    EXPECT_EQ(
        got,
        Text(tests::OpenContext(row.module).Call(row.function, row.arguments)));
    if (row.want != nullptr) {
      EXPECT_EQ(got, row.want);
    }
    EXPECT_EQ(Text(call->Results()),
              "9: The call's results were taken before.");
  }
}

TEST(PendingCallTest, GivesWay) {
  Context context = tests::OpenContext("3.13/vm_yield.vmfb");
  auto function = context.Find("yield_loop");
  ASSERT_TRUE(function);
  Loop loop;
  const auto wake = [&loop] { loop.Wake(); };
  auto slow = PendingCall::Begin(*function, {1000}, wake);
  ASSERT_TRUE(slow);
  EXPECT_FALSE(slow->Poll());
  EXPECT_EQ(Text(slow->Results()), "9: The call has not finished.");
  // Other calls in between: a normal one, a pending one, and an abandoned one.
  EXPECT_EQ(Text(function->Call({2})), "2");
  Loop other;
  auto second = PendingCall::Begin(*function, {5}, [&other] { other.Wake(); });
  ASSERT_TRUE(second);
  {
    auto dropped = PendingCall::Begin(*function, {7}, [] {});
    ASSERT_TRUE(dropped);
    EXPECT_FALSE(dropped->Poll());
  }
  EXPECT_EQ(other.Drive(*second), 6);
  EXPECT_EQ(Text(second->Results()), "5");
  while (!slow->Poll()) {
  }
  EXPECT_EQ(Text(slow->Results()), "1000");
}

// Storage for results is allocated as in a normal call: by signatures, and by
// result allocators.
TEST(PendingCallTest, MakesStorage) {
  const Value four = *Value::Array({4}, {1.f, 2.f, 3.f, 4.f});
  const struct {
    const char* module;
    const char* function;
    std::vector<Value> arguments;
    size_t results;
  } rows[] = {
      {"3.13/raw_results.vmfb", "double", {four}, 1},
      {"3.13/raw_results.async.vmfb", "double", {four}, 1},
      {"3.13/raw_results.vmfb", "scale", {four}, 1},
      {"3.13/raw_results.async.vmfb", "scale", {four}, 1},
      {"3.13/raw_fills.vmfb", "fill", {four}, 1},
      {"3.13/raw_fills.async.vmfb", "fill", {four}, 1},
      {"3.13/raw_fills.async.vmfb", "fill_scaled", {four}, 2},
      {"3.13/destination.vmfb", "add_into", {four, four}, 1},
      {"3.13/destination.async.vmfb", "add_into", {four, four}, 1},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(absl::StrCat(row.module, " @", row.function));
    Context context = tests::OpenContext(row.module);
    auto function = context.Find(row.function);
    ASSERT_TRUE(function);
    Loop loop;
    auto call =
        PendingCall::Begin(*function, row.arguments, [&loop] { loop.Wake(); });
    ASSERT_TRUE(call) << call.error().message();
    loop.Drive(*call);
    auto results = call->Results();
    ASSERT_TRUE(results) << results.error().message();
    ASSERT_EQ(results->size(), row.results);
    const auto elements = results->front().elements<float>();
    ASSERT_TRUE(elements);
    const std::vector<float> want = {2, 4, 6, 8};
    EXPECT_EQ(std::vector<float>(elements->begin(), elements->end()), want);
  }
  // The size of the results is unknown.
  Context context = tests::OpenContext("3.13/raw_fills.vmfb");
  auto function = context.Find("unknown");
  ASSERT_TRUE(function);
  auto call = PendingCall::Begin(*function, {four}, [] {});
  ASSERT_FALSE(call);
  EXPECT_EQ(std::string(call.error().message()),
            "Function 'unknown' returns nothing, and storage cannot be created "
            "for all of its results; pass it as arguments.");
}

TEST(PendingCallTest, Refuses) {
  Context context = tests::OpenContext("3.13/vm_yield.vmfb");
  auto function = context.Find("yield_loop");
  ASSERT_TRUE(function);
  auto call = PendingCall::Begin(*function, {}, [] { ADD_FAILURE(); });
  ASSERT_FALSE(call);
  EXPECT_EQ(call.error().code(), EYRIE_INVALID_ARGUMENT);
}

// All steps of a call share its fuel.
TEST(PendingCallTest, StaysWithinLimits) {
  Context context = tests::OpenContext("3.13/vm_yield.vmfb", {.fuel = 20});
  auto function = context.Find("yield_loop");
  ASSERT_TRUE(function);
  auto call = PendingCall::Begin(*function, {1000}, [] {});
  ASSERT_TRUE(call);
  while (!call->Poll()) {
  }
  auto results = call->Results();
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code(), EYRIE_RESOURCE_EXHAUSTED);
}

}  // namespace
}  // namespace eyrie
