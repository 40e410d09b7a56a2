// Tests limits, cancelling and untrusted modules through the embedding API.
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "eyrie/fence.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "tests/support/thread_limit.h"

namespace eyrie {
namespace {

using std::chrono::milliseconds;

constexpr char kLoops[] = "tests/modules/3.13/loops.vmfb";
constexpr int64_t kForEver = int64_t{1} << 60;

// Returns "8: The first line.", or "OK".
template <typename T>
std::string Brief(const Result<T>& result) {
  return FirstLine(Text<T>(result));
}

class HeapAllocator final : public Allocator {
 public:
  void* Allocate(size_t size, size_t alignment) override {
    return std::aligned_alloc(alignment,
                              (size + alignment - 1) / alignment * alignment);
  }
  void Free(void* memory, size_t) override { std::free(memory); }
};

class LimitsApiTest : public testing::Test {
 protected:
  Result<Context> NewContext(const ContextOptions& options) {
    return Context::Create(*device_, *module_, options);
  }
  static std::string SumTo(Context& context, int64_t count) {
    return Brief(context.Call("sum_to", {count}));
  }

  Result<Device> device_ = Device::Open("local-sync");
  Result<Module> module_ = Module::Load(kLoops);
};

TEST_F(LimitsApiTest, CallsOverALimitFailTheirContext) {
  const struct {
    const char* what;
    ContextOptions limits;
    int64_t count;
    const char* want;
  } kCases[] = {
      {"none", {}, 1000, "OK"},
      {"enough of all",
       {2000, std::chrono::minutes(5), 1 << 20, 1 << 16},
       1000,
       "OK"},
      {"more time than there is",
       {.timeout = std::chrono::nanoseconds::max()},
       1000,
       "OK"},
      {"fuel",
       {.fuel = 500},
       1000,
       "8: The call exceeds its fuel limit (500 backward branches and calls)."},
      {"time",
       {.timeout = milliseconds(30)},
       kForEver,
       "4: The call exceeds its time limit (30ms)."},
  };
  Result<Context> other = NewContext({.fuel = 1000});
  ASSERT_EQ(Brief(other), "OK");
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.what);
    Result<Context> context = NewContext(c.limits);
    ASSERT_EQ(Brief(context), "OK");
    EXPECT_FALSE(context->failed());
    EXPECT_EQ(SumTo(*context, c.count), c.want);
    const bool failed = std::string(c.want) != "OK";
    EXPECT_EQ(context->failed(), failed);
    EXPECT_EQ(SumTo(*context, 1).substr(0, 3), failed ? "9: " : "OK");
    EXPECT_EQ(SumTo(*other, 100), "OK");
  }
}

// Waits for fences with the longest timeout, with a timeout of 0, and with
// others.
TEST_F(LimitsApiTest, FencesAreWaitedFor) {
  auto fence = Fence::Create(*device_);
  ASSERT_EQ(Brief(fence), "OK");
  for (const int64_t ns : {0, 1, 2000000}) {
    EXPECT_EQ(Brief(fence->Wait(std::chrono::nanoseconds(ns))),
              "4: The semaphore is at 0 and did not reach 1 in time.");
  }
  std::thread signaller([&fence] {
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_EQ(Brief(fence->Signal()), "OK");
  });
  EXPECT_EQ(Brief(fence->Wait(std::chrono::nanoseconds::max())), "OK");
  signaller.join();
}

TEST_F(LimitsApiTest, LimitsOfTimeNeedAThread) {
  const tests::ThreadLimit none(0);
  EXPECT_EQ(Brief(NewContext({})), "OK");
  EXPECT_EQ(Brief(NewContext({.timeout = std::chrono::nanoseconds::max()})),
            "8: Cannot start a thread for limits of time: Resource temporarily "
            "unavailable.");
}

TEST_F(LimitsApiTest, MemoryMayNotSufficeToStart) {
  EXPECT_EQ(Brief(NewContext({.max_memory = 64})).substr(0, 3), "8: ");
}

// Memory for encoded arguments is charged, and only while it is needed.
TEST_F(LimitsApiTest, ArgumentsAreCharged) {
  constexpr uint64_t kLimit = 1 << 20;
  constexpr int64_t kCount = (kLimit >> 2) + 1;
  auto bytecode = Module::Load("tests/modules/3.13/abi_v1.vmfb");
  const std::vector<float> floats(kCount);
  const Value array = *Value::Array({kCount}, floats);
  constexpr const char* kCopy =
      " bytes for the copy of an argument exceed the context's memory limit "
      "(1048576 bytes";
  const struct {
    const char* what;
    Value x;
    const char* want;
  } kCases[] = {
      {"an array", array, kCopy},
      {"a list", Value::List(std::vector<Value>(kCount, 1)), kCopy},
      {"a short array", *Value::Array({1}, {1.f}), "OK"},
  };
  auto context = Context::Create(*device_, *bytecode, {.max_memory = kLimit});
  ASSERT_EQ(Brief(context), "OK");
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.what);
    for (int i = 0; i < 2; ++i) {
      const std::string text = Brief(context->Call("named", {c.x, c.x}));
      EXPECT_NE(text.find(c.want), std::string::npos) << text;
    }
  }
}

TEST_F(LimitsApiTest, CancelsFromAnotherThread) {
  Result<Context> context = NewContext({});
  ASSERT_EQ(Brief(context), "OK");
  std::thread canceller([&context] {
    std::this_thread::sleep_for(milliseconds(20));
    context->Cancel();
  });
  EXPECT_EQ(SumTo(*context, kForEver), "1: The call is cancelled.");
  canceller.join();
  EXPECT_EQ(SumTo(*context, 1).substr(0, 3), "9: ");
}

TEST_F(LimitsApiTest, RefusesNativeCode) {
  auto device = Device::Open("local-sync", {.no_native_code = true});
  ASSERT_EQ(Brief(device), "OK");
  EXPECT_EQ(Brief(Context::Create(*device, *module_)).substr(0, 4), "12: ");
  auto bytecode = Module::Load("tests/modules/3.13/vm_control.vmfb");
  auto context = Context::Create(*device, *bytecode);
  EXPECT_EQ(Brief(context), "OK");
}

TEST_F(LimitsApiTest, IsolatesNativeCode) {
  auto module = Module::Load("tests/modules/3.13/add.vmfb");
  for (const char* name : {"local-sync", "local-task"}) {
    auto device = Device::Open(name, {.isolate = true});
    ASSERT_EQ(Brief(device), "OK");
    auto context = Context::Create(*device, *module);
    ASSERT_EQ(Brief(context), "OK");
    // The host's arrays are copied; results can be read in place.
    const Value a = *Value::Array({4}, {1.f, 2.f, 3.f, 4.f});
    auto sums = context->Call("add", {a, a});
    ASSERT_EQ(Brief(sums), "OK");
    EXPECT_EQ(sums->front().elements<float>()->back(), 8);
    auto doubled = context->Call("add", {sums->front(), sums->front()});
    ASSERT_EQ(Brief(doubled), "OK");
    EXPECT_EQ(doubled->front().elements<float>()->back(), 16);
  }
  const auto allocator = std::make_shared<HeapAllocator>();
  EXPECT_EQ(Brief(Device::Open("local-sync",
                               {.allocator = allocator, .isolate = true})),
            "3: --isolate cannot be combined with an allocator of the host: a "
            "worker shares its own memory.");
}

TEST_F(LimitsApiTest, BadOptions) {
  const struct {
    size_t struct_size;
    int64_t timeout_ns;
    const char* want;
  } kCases[] = {
      {8, 0,
       "The struct_size of the context options (8) is below that of the first "
       "version (152)."},
      {sizeof(eyrie_context_options_t), -1, "The timeout (-1 ns) is below 0."},
  };
  for (const auto& c : kCases) {
    eyrie_context_options_t options = {};
    options.struct_size = c.struct_size;
    options.timeout_ns = c.timeout_ns;
    eyrie_module_t* modules[] = {module_->get()};
    eyrie_device_t* devices[] = {device_->get()};
    eyrie_context_t* context = nullptr;
    eyrie_error_t* error =
        eyrie_context_create(modules, 1, devices, 1, &options, &context);
    ASSERT_NE(error, nullptr);
    EXPECT_STREQ(eyrie_error_message(error), c.want);
    eyrie_error_free(error);
  }
}

}  // namespace
}  // namespace eyrie
