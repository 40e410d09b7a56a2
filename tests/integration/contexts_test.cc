// Contexts of one module share no state: threads that call one each, all at
// once, get the results of a context alone. Run under ThreadSanitizer, too.
#include <string>
#include <thread>
#include <vector>

#include "eyrie/runtime.h"
#include "gtest/gtest.h"

namespace eyrie::tests {
namespace {

constexpr int kThreads = 8;
constexpr int kCalls = 40;
constexpr char kFolder[] = "tests/modules/";
constexpr const char* kModules[] = {"3.3/counter.vmfb", "3.13/counter.vmfb",
                                    "3.13/counter.async.vmfb"};

// Counts and adds up in the globals of a context. Returns what is wrong, or "".
std::string CountAlone(Context& context, int thread) {
  std::vector<float> step = {1.0f + thread, -2.0f * thread};
  for (int i = 1; i <= kCalls; ++i) {
    const auto count = context.Call("next", {});
    if (!count) return std::string(count.error().message());
    if (count->front().As<int>() != i) return "another's count";
    const auto total = context.Call("accumulate", {*Value::Array({2}, step)});
    if (!total) return std::string(total.error().message());
    const auto sums = *total->front().elements<float>();
    if (sums[0] != 100.0f + i * step[0] || sums[1] != 200.0f + i * step[1]) {
      return "another's sum";
    }
  }
  return "";
}

TEST(Contexts, OfOneModuleDoNotSeeEachOther) {
  for (const char* driver : {"local-sync", "local-task"}) {
    const auto device = Device::Open(driver);
    ASSERT_TRUE(device);
    for (const char* name : kModules) {
      const auto module = Module::Load(std::string(kFolder) + name);
      ASSERT_TRUE(module) << module.error().message();
      std::vector<std::string> wrong(kThreads);
      std::vector<std::thread> threads;
      for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
          auto context = Context::Create(*device, *module);
          wrong[t] = context ? CountAlone(*context, t)
                             : std::string(context.error().message());
        });
      }
      for (std::thread& thread : threads) thread.join();
      for (const std::string& text : wrong) EXPECT_EQ(text, "") << name;
    }
  }
}

}  // namespace
}  // namespace eyrie::tests
