// Tests traces through the embedding API.
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "eyrie/runtime.h"
#include "eyrie/trace.h"
#include "gtest/gtest.h"
#include "tests/support/files.h"

namespace eyrie {
namespace {

constexpr char kDigitsModule[] = "samples/digits/digits.vmfb";
constexpr char kLoopsModule[] = "tests/modules/3.13/loops.vmfb";

// Returns "category name" of each event in a trace.
std::set<std::string> NamesOf(Trace& trace) {
  std::string text;
  const auto written = trace.Write([&](std::string_view piece) {
    text += piece;
    return true;
  });
  EXPECT_TRUE(written.ok());
  const auto json = ParseJson(text);
  std::set<std::string> names;
  if (!json.ok()) {
    ADD_FAILURE() << json.status();
    return names;
  }
  for (const Json& event : json->Find("traceEvents")->items) {
    const Json* category = event.Find("cat");
    if (category == nullptr) continue;
    names.insert(absl::StrCat(category->text, " ", event.Find("name")->text));
  }
  return names;
}

Result<Context> Load(const char* device, const char* path) {
  const auto opened = Device::Open(device);
  const auto module = Module::Load(path);
  return Context::Create(*opened, *module);
}

Value Image() { return *Value::Array({8, 8}, std::vector<float>(64, 0.5f)); }

TEST(TraceApiTest, ACallOnEachDevice) {
  for (const char* device : {"local-sync", "local-task"}) {
    SCOPED_TRACE(device);
    auto context = Load(device, kDigitsModule);
    ASSERT_TRUE(context.ok());
    auto trace = Trace::Start();
    ASSERT_TRUE(trace.ok());
    const auto results = context->Call("classify", {Image()});
    ASSERT_TRUE(results.ok()) << results.error().message();
    trace->Stop();
    ASSERT_TRUE(context->Call("classify", {Image()}).ok());
    const std::set<std::string> names = NamesOf(*trace);
    EXPECT_EQ(names.count("call classify"), 1u);
    EXPECT_EQ(names.count("import hal.device.queue.execute.indirect"), 1u);
    EXPECT_EQ(names.count("memory allocate"), 1u);
    EXPECT_EQ(names.count("memory device memory"), 1u);
    const std::vector<eyrie_kernel_time_t> kernels = trace->kernels();
    EXPECT_FALSE(kernels.empty());
    for (const eyrie_kernel_time_t& kernel : kernels) {
      EXPECT_EQ(kernel.dispatches, 1u) << kernel.name;
      EXPECT_GT(kernel.workgroups, 0u);
      EXPECT_GT(kernel.total_ns, 0);
      EXPECT_EQ(names.count(absl::StrCat("dispatch ", kernel.name)), 1u);
    }
    EXPECT_EQ(trace->dropped(), 0u);
    EXPECT_EQ(eyrie_trace_kernel(trace->get(), kernels.size()), nullptr);
  }
}

TEST(TraceApiTest, KernelsOnly) {
  auto context = Load("local-sync", kDigitsModule);
  auto trace = Trace::Start({.kernels_only = true});
  ASSERT_TRUE(trace.ok());
  ASSERT_TRUE(context->Call("classify", {Image()}).ok());
  EXPECT_FALSE(trace->kernels().empty());
  EXPECT_TRUE(NamesOf(*trace).empty());
}

TEST(TraceApiTest, Errors) {
  auto trace = Trace::Start({.max_bytes = 1});
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(Trace::Start().error().code(), EYRIE_FAILED_PRECONDITION);
  auto context = Load("local-sync", kLoopsModule);
  ASSERT_TRUE(context->Call("sum_to", {1000}).ok());
  EXPECT_GT(trace->dropped(), 0u);
  EXPECT_TRUE(Trace::Start().ok());  // possible after the first has stopped
  EXPECT_EQ(trace->Write("no/such/folder/t.json").error().code(),
            EYRIE_NOT_FOUND);
  EXPECT_EQ(trace->Write([](std::string_view) { return false; }).error().code(),
            EYRIE_ABORTED);
  const std::string path = testing::TempDir() + "/trace.json";
  ASSERT_TRUE(trace->Write(path).ok());
  EXPECT_EQ(FileText(path).front(), '{');
  const eyrie_trace_options_t unset = {};
  eyrie_trace_t* none = nullptr;
  eyrie_error_t* error = eyrie_trace_create(&unset, &none);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(eyrie_error_code(error), EYRIE_INVALID_ARGUMENT);
  eyrie_error_free(error);
  eyrie_trace_free(nullptr);
}

// A module that ran before the trace, and a failure in a call of an import.
TEST(TraceApiTest, FunctionsRunTracedAndNot) {
  auto context = Load("local-sync", kLoopsModule);
  for (int i = 0; i < 3; ++i) {
    const auto plain = context->Call("sum_to", {10});
    ASSERT_TRUE(plain.ok());
    auto trace = Trace::Start();
    const auto traced = context->Call("sum_to", {10});
    ASSERT_TRUE(traced.ok());
    EXPECT_EQ((*plain)[0].As<int64_t>(), (*traced)[0].As<int64_t>());
    const std::set<std::string> names = NamesOf(*trace);
    EXPECT_EQ(names.count("call sum_to"), 1u);
    EXPECT_EQ(names.count("function module.sum_to"), 1u);
  }
}

// Traces begin and end while threads make calls.
TEST(TraceApiTest, TracesWhileThreadsCall) {
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (const char* device : {"local-sync", "local-task"}) {
    threads.emplace_back([&over, device] {
      auto context = Load(device, kDigitsModule);
      while (!over.load()) {
        EXPECT_TRUE(context->Call("classify", {Image()}).ok());
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    auto trace = Trace::Start({.max_bytes = uint64_t{1} << 20});
    ASSERT_TRUE(trace.ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    trace->kernels();
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace eyrie
