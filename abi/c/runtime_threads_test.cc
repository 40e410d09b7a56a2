// Tests that several threads can call one module through the embedding API.
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "eyrie/call_pool.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "tests/support/thread_limit.h"

namespace eyrie {
namespace {

constexpr char kAddModule[] = "tests/modules/3.13/add.vmfb";
constexpr char kCounter[] = "tests/modules/3.13/counter.vmfb";
constexpr char kLoops[] = "tests/modules/3.13/loops.vmfb";

// Each thread has its own context, with its own globals.
TEST(CppApiTest, ThreadsShareAModule) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 200;
  auto device = Device::Open("local-sync");
  auto module = Module::Load(kCounter);
  ASSERT_TRUE(module) << module.error().message();
  std::string failures[kThreads];
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      auto context = Context::Create(*device, *module);
      if (!context) {
        failures[t] = context.error().message();
        return;
      }
      const float step[] = {1, static_cast<float>(t)};
      for (int i = 1; i <= kCalls && failures[t].empty(); ++i) {
        auto count = context->Call("next", {});
        auto total = context->Call("accumulate", {*Value::Array({2}, step)});
        if (!count || !total) {
          failures[t] = absl::StrCat("call ", i, " fails");
        } else if (const auto totals = *(*total)[0].elements<float>();
                   (*count)[0].As<int>() != i ||
                   totals[0] != static_cast<float>(100 + i) ||
                   totals[1] != static_cast<float>(200 + i * t)) {
          failures[t] = absl::StrCat("call ", i, " gives ", totals[0]);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures) EXPECT_EQ(failure, "");
}

// Several threads submit calls to a pool, which returns futures.
TEST(CppApiTest, CallPool) {
  constexpr int kThreads = 3;
  constexpr int kCalls = 50;
  auto device = Device::Open("local-sync");
  auto module = Module::Load(kAddModule);
  ASSERT_TRUE(module) << module.error().message();
  auto pool = CallPool::Start(*device, *module, 4);
  ASSERT_TRUE(pool) << pool.error().message();
  EXPECT_EQ(pool->size(), 4u);
  std::string failures[kThreads];
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::vector<std::future<Result<std::vector<Value>>>> sums;
      for (int i = 0; i < kCalls; ++i) {
        const float row[] = {1, 2, static_cast<float>(t),
                             static_cast<float>(i)};
        sums.push_back(pool->Call(
            "add", {*Value::Array({4}, row), *Value::Array({4}, row)}));
      }
      for (int i = 0; i < kCalls; ++i) {
        const auto sum = sums[i].get();
        if (!sum) {
          failures[t] = sum.error().message();
        } else if (const auto row = *(*sum)[0].elements<float>();
                   row[2] != 2.0f * t || row[3] != 2.0f * i) {
          failures[t] = absl::StrCat("call ", i, " gives ", row[3]);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures) EXPECT_EQ(failure, "");
  auto code = pool->Run(
      [](Context& context) { return context.Find("nothing").error().code(); });
  EXPECT_EQ(code.get(), EYRIE_NOT_FOUND);
  EXPECT_FALSE(pool->Call("add", {1}).get());
}

// The pool completes all submitted calls before it is destroyed.
TEST(CppApiTest, CallPoolEnds) {
  auto device = Device::Open("local-sync");
  auto module = Module::Load(kCounter);
  std::future<Result<std::vector<Value>>> last;
  {
    auto pool = CallPool::Start(*device, *module, 1);
    for (int i = 0; i < 20; ++i) last = pool->Call("next", {});
  }
  EXPECT_EQ((*last.get())[0].As<int>(), 20);
  auto none = CallPool::Start(
      [] { return Result<Context>(Error(EYRIE_ABORTED, "No.")); }, 2);
  EXPECT_EQ(none.error().message(), "No.");
}

TEST(CppApiTest, CallPoolEndsInItsOwnTask) {
  auto device = Device::Open("local-sync");
  auto module = Module::Load(kCounter);
  auto started = CallPool::Start(*device, *module, 2);
  ASSERT_TRUE(started) << started.error().message();
  auto pool = std::make_shared<CallPool>(std::move(*started));
  std::promise<void> released;
  auto ended = pool->Run(
      [own = pool, wait = released.get_future().share()](Context&) mutable {
        wait.wait();
        own = nullptr;  // the last reference
        return true;
      });
  auto next = pool->Call("next", {});
  pool = nullptr;
  released.set_value();
  EXPECT_TRUE(ended.get());
  EXPECT_TRUE(next.get());
}

TEST(CppApiTest, CallPoolRefusesMoreThanItsQueueHolds) {
  auto device = Device::Open("local-sync");
  auto module = Module::Load(kCounter);
  auto pool = CallPool::Start(*device, *module, 1);
  std::promise<void> begun, go_on;
  auto busy = pool->Run([&](Context&) {
    begun.set_value();
    go_on.get_future().wait();
  });
  begun.get_future().wait();
  pool->LimitQueue(2);
  auto first = pool->Call("next", {});
  auto second = pool->Call("next", {});
  const auto third = pool->Call("next", {}).get();
  EXPECT_EQ(third.error().code(), EYRIE_RESOURCE_EXHAUSTED);
  EXPECT_EQ(third.error().message(),
            "The call pool's queue is full: its limit is 2 calls that wait.");
  go_on.set_value();
  EXPECT_TRUE(first.get().ok());
  EXPECT_EQ((*second.get())[0].As<int>(), 2);
  EXPECT_TRUE(pool->Call("next", {}).get().ok());
}

TEST(CppApiTest, CallPoolNeedsItsThreads) {
  auto device = Device::Open("local-sync");
  auto module = Module::Load(kCounter);
  const tests::ThreadLimit limit(2);
  auto pool = CallPool::Start(*device, *module, 4);
  ASSERT_FALSE(pool.ok());
  EXPECT_EQ(pool.error().code(), EYRIE_RESOURCE_EXHAUSTED);
  EXPECT_EQ(pool.error().message(),
            "Cannot start thread 3 of 4 of a pool: Resource temporarily "
            "unavailable.");
}

// Returns the error code of a call of sum_to; 0 if it succeeds.
int SumTo(CallPool& pool, int64_t count) {
  const auto sum = pool.Call("sum_to", {count}).get();
  return sum ? 0 : sum.error().code();
}

// A call that exceeds a limit does not affect others: the thread continues in a
// new context, even if the device and the module of the pool were released.
TEST(CppApiTest, CallPoolGoesOnPastALimit) {
  constexpr int64_t kForEver = int64_t{1} << 60;
  const struct {
    const char* what;
    ContextOptions limits;
    int want;
  } kCases[] = {
      {"fuel", {.fuel = 10000}, EYRIE_RESOURCE_EXHAUSTED},
      {"time",
       {.timeout = std::chrono::milliseconds(200)},
       EYRIE_DEADLINE_EXCEEDED},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.what);
    auto pool = [&c] {
      auto device = Device::Open("local-sync");
      auto module = Module::Load(kLoops);
      return CallPool::Start(*device, *module, 1, c.limits);
    }();
    ASSERT_TRUE(pool) << pool.error().message();
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(SumTo(*pool, 10), 0);
      EXPECT_EQ(SumTo(*pool, kForEver), c.want);
    }
    EXPECT_EQ(SumTo(*pool, 10), 0);
  }
}

// A context that replaces a failed one has initial globals. If none can be
// created, calls fail with that error.
TEST(CppApiTest, CallPoolReplacesContexts) {
  auto device = Device::Open("local-sync");
  auto module = Module::Load(kCounter);
  int made = 0;
  auto pool = CallPool::Start(
      [&]() -> Result<Context> {
        if (++made == 2) return Error(EYRIE_UNAVAILABLE, "Not now.");
        return Context::Create(*device, *module);
      },
      1);
  const auto next = [&pool] {
    const auto count = pool->Call("next", {}).get();
    return count ? *(*count)[0].As<int>() : -int{count.error().code()};
  };
  EXPECT_EQ(next(), 1);
  EXPECT_EQ(next(), 2);
  // Other errors do not replace the context.
  EXPECT_EQ(pool->Call("next", {1}).get().error().code(),
            EYRIE_INVALID_ARGUMENT);
  EXPECT_EQ(next(), 3);
  auto failed = pool->Run([](Context& context) {
    const bool before = context.failed();
    context.Cancel();
    return !before && context.failed();
  });
  EXPECT_TRUE(failed.get());
  EXPECT_EQ(next(), -EYRIE_CANCELLED);  // no new context is created
  EXPECT_EQ(next(), 1);
  EXPECT_EQ(next(), 2);
  EXPECT_EQ(made, 3);
}

}  // namespace
}  // namespace eyrie
