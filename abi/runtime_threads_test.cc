// One module of the embedding API called by several threads at once.
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"

namespace eyrie {
namespace {

constexpr char kCounter[] = "tests/modules/3.13/counter.vmfb";

// Each thread has a context of its own, with globals of its own.
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

}  // namespace
}  // namespace eyrie
