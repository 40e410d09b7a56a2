// Tests the options of single calls, cancel tokens and usage: exceeded options
// fail the call and not its context.
#include "eyrie/call_options.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/strings/str_cat.h"
#include "eyrie/call_pool.h"
#include "eyrie/linker.h"
#include "eyrie/pending_call.h"
#include "eyrie/prepared_call.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "tests/support/forwarding_module.h"
#include "tests/support/module_builder.h"

namespace eyrie {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kForEver = int64_t{1} << 60;
constexpr char kLate[] =
    "4: The call exceeds the time limit of its options (20ms).";
constexpr char kSpent[] =
    "8: The call exceeds the fuel limit of its options (50 backward branches "
    "and calls).";
constexpr char kCancelled[] = "1: The call is cancelled by its token.";

// Returns the text of a result or the first line of its error.
template <typename T>
std::string Line(const Result<T>& result) {
  const std::string text = Text(result);
  return text.substr(0, text.find('\n'));
}

CancelToken Cancelled() {
  CancelToken token;
  token.Cancel();
  return token;
}

class CallOptionsTest : public testing::TestWithParam<Jit> {
 protected:
  Context Open(const std::string& file, const ContextOptions& options = {}) {
    auto module = Module::Load("tests/modules/3.13/" + file);
    auto context = Context::Create(device_, *module, options);
    EXPECT_TRUE(context) << context.error().message();
    return *std::move(context);
  }

  Device device_ = *Device::Open("local-sync", {.jit = GetParam()});
};

INSTANTIATE_TEST_SUITE_P(Engines, CallOptionsTest,
                         testing::Values(Jit::kOff, Jit::kLazy));

struct Row {
  const char* what;
  int64_t count;
  CallOptions options;
  const char* want;
};

const CancelToken& cancelled = *new CancelToken(Cancelled());
const CancelToken& other = *new CancelToken();
const Row kRows[] = {
    {"nothing", 10, {}, "45"},
    {"enough", 10, {1000, std::chrono::hours(1), &other}, "45"},
    {"the longest", 10, {1000, std::chrono::nanoseconds::max(), &other}, "45"},
    {"fuel", 1000, {.fuel = 50}, kSpent},
    {"time", kForEver, {.timeout = milliseconds(20)}, kLate},
    {"cancelled before", 10, {.cancel = &cancelled}, kCancelled},
    {"no time",
     10,
     {.timeout = milliseconds(-1)},
     "3: The call's timeout (-1000000 ns) is below 0."},
};

TEST_P(CallOptionsTest, FailOnlyTheCall) {
  Context context = Open("loops.vmfb");
  auto sum = context.Find("sum_to");
  ASSERT_TRUE(sum);
  const std::string ten = Text(sum->Call({10}));
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.what);
    const std::string want = std::string(row.want) == "45" ? ten : row.want;
    EXPECT_EQ(Line(sum->Call({row.count}, {}, row.options)), want);
    EXPECT_FALSE(context.failed());
    EXPECT_EQ(Text(sum->Call({10})), ten);

    std::vector<Value> results = {Value(7)};
    const auto into = sum->CallInto(results, {row.count}, {}, row.options);
    EXPECT_EQ(into ? ValueText(results[0].get()) : Line(into), want);
    EXPECT_EQ(Line(context.Call("sum_to", {row.count}, {}, row.options)), want);

    auto out = sum->CallOut({}, {row.count}, {}, row.options);
    EXPECT_EQ(Line(out), want);

    auto prepared = PreparedCall::Prepare(*sum, {row.count});
    ASSERT_TRUE(prepared);
    const auto done = prepared->Run(row.options);
    EXPECT_EQ(done ? ValueText(prepared->results()[0].get()) : Line(done),
              want);
    EXPECT_EQ(Text(sum->Call({10})), ten);
  }
}

TEST_P(CallOptionsTest, LimitThePoolsCalls) {
  auto module = Module::Load("tests/modules/3.13/loops.vmfb");
  auto pool = CallPool::Start(device_, *module, 1);
  ASSERT_TRUE(pool);
  const std::string ten = Text(pool->Call("sum_to", {10}).get());
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.what);
    const std::string text =
        Line(pool->Call("sum_to", {row.count}, {}, row.options).get());
    const std::string want = std::string(row.want) == "45" ? ten : row.want;
    // The time that was waited for the thread is subtracted from 20 ms.
    const size_t size = row.want == kLate ? want.find("20ms") : want.size();
    EXPECT_EQ(text.substr(0, size), want.substr(0, size));
    EXPECT_EQ(Text(pool->Call("sum_to", {10}).get()), ten);
  }
  // The time passes while another call has the only thread.
  auto slow = pool->Run([](Context&) {
    std::this_thread::sleep_for(milliseconds(30));
    return 0;
  });
  EXPECT_EQ(
      Text(pool->Call("sum_to", {10}, {}, {.timeout = milliseconds(5)}).get()),
      "4: The call's time passed before a thread of the pool was free.");
  slow.get();
}

// Runs a pending call to its end.
std::string Drive(PendingCall& call, const std::atomic<int>& wakes) {
  for (int seen = 0; !call.Poll(); ++seen) {
    while (wakes == seen) std::this_thread::sleep_for(milliseconds(1));
  }
  return Line(call.Results());
}

TEST_P(CallOptionsTest, LimitPendingCalls) {
  Context context = Open("vm_yield.vmfb");
  auto function = context.Find("yield_loop");
  ASSERT_TRUE(function);
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.what);
    const auto count = static_cast<int32_t>(
        row.count == kForEver ? int64_t{1} << 30 : row.count);
    std::atomic<int> wakes = 0;
    auto call = PendingCall::Begin(
        *function, {count}, [&wakes] { ++wakes; }, {}, row.options);
    const std::string text = call ? Drive(*call, wakes) : Text(call);
    // A call may also notice its end when a piece returns.
    const std::string want = std::string(row.want) == "45" ? "10" : row.want;
    EXPECT_EQ(text.substr(0, want.size()), want);
    EXPECT_EQ(Text(function->Call({3})), "3");
  }
}

constexpr char kAsync[] = "async func @f(%a: tensor<?xf32>) -> tensor<?xf32>";

// The results of a function are never ready. Calls that wait for them end.
TEST_P(CallOptionsTest, EndWaitsForFences) {
  std::vector<Fence> kept;
  Linker linker;
  ASSERT_TRUE(
      linker.DefineAsync("host.f", [&kept](HostCall& call, Tensor<float> x) {
        kept.push_back(call.signal());
        return x;
      }));
  tests::ModuleBuilder module;
  AddForwarding(module, "host.f", "0rrr_r", kAsync);
  module.functions.back().attributes.emplace_back("iree.abi.model",
                                                  "coarse-fences");
  auto context = Context::Create(device_, Loaded(module), {.linker = &linker});
  ASSERT_TRUE(context) << Text(context);
  auto function = context->Find("f");
  ASSERT_TRUE(function);
  const Value argument = *Value::Array({2}, {1.f, 2.f});
  const std::string waits = " (while waiting for the device)";
  for (const bool cancels : {false, true}) {
    for (const bool pending : {false, true}) {
      SCOPED_TRACE(absl::StrCat(cancels, pending));
      CancelToken token;
      CallOptions options = {.cancel = &token};
      if (!cancels) options.timeout = milliseconds(20);
      std::thread canceller([&token, cancels] {
        std::this_thread::sleep_for(milliseconds(20));
        if (cancels) token.Cancel();
      });
      std::string text;
      if (pending) {
        std::atomic<int> wakes = 0;
        auto call = PendingCall::Begin(
            *function, {argument}, [&wakes] { ++wakes; }, {}, options);
        ASSERT_TRUE(call);
        text = Drive(*call, wakes);
      } else {
        text = Line(function->Call({argument}, {}, options));
      }
      canceller.join();
      EXPECT_EQ(text, absl::StrCat(cancels ? kCancelled : kLate, waits));
      EXPECT_FALSE(context->failed());
    }
  }
  // The timeout of a context also runs while a pending call waits.
  auto short_lived =
      Context::Create(device_, Loaded(module),
                      {.timeout = milliseconds(20), .linker = &linker});
  ASSERT_TRUE(short_lived) << Text(short_lived);
  auto again = short_lived->Find("f");
  ASSERT_TRUE(again);
  std::atomic<int> wakes = 0;
  auto call = PendingCall::Begin(*again, {argument}, [&wakes] { ++wakes; });
  ASSERT_TRUE(call);
  EXPECT_EQ(Drive(*call, wakes),
            absl::StrCat("4: The device's work is stopped: the call takes "
                         "longer than its limit of time (20ms).",
                         waits));
  EXPECT_TRUE(short_lived->failed());
  for (Fence& fence : kept) EXPECT_EQ(Text(fence.Signal()), "OK");
}

// A host function is native code, and may call back.
TEST_P(CallOptionsTest, LimitHostFunctions) {
  CancelToken token;
  Linker linker;
  ASSERT_TRUE(linker.Define(
      "host.f", [&](HostCall& call, int32_t x) -> Result<int32_t> {
        if (x == 0) token.Cancel();
        if (x == 1) std::this_thread::sleep_for(milliseconds(30));
        if (x != 2) return x;
        auto inner = call.Find("f");
        auto results = inner->Call({5}, {}, {.fuel = 100});
        if (!results) return results.error();
        return x;
      }));
  const Module module = Forwarding("host.f", "0i_i");
  auto context = Context::Create(device_, module, {.linker = &linker});
  const struct {
    int32_t argument;
    CallOptions options;
    std::string want;
  } kCases[] = {
      {0, {.cancel = &token}, absl::StrCat(kCancelled, " (noticed when it")},
      {0, {.cancel = &token}, kCancelled},
      {1, {.timeout = milliseconds(20)}, absl::StrCat(kLate, " (noticed")},
      {2, {}, "9: A call that is part of another one of the same context"},
      {3, {.fuel = 10}, "3"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.argument);
    const std::string text =
        Line(context->Call("f", {c.argument}, {}, c.options));
    EXPECT_EQ(text.substr(0, c.want.size()), c.want);
    EXPECT_EQ(Text(context->Call("f", {7})), "7");
  }
}

TEST_P(CallOptionsTest, LimitInitializers) {
  tests::ModuleBuilder module;
  module.AddFunction("__init", "0v_v",
                     "entry: const.i32.zero i1 const.i32 1 i2 "
                     "const.i32 100 i0 br ^loop [] "
                     "loop: add.i32 i1 i2 i1 cmp.lt.i32.s i1 i0 i3 "
                     "cond_br i3 ^loop [] ^done [] done: return []");
  const struct {
    ContextOptions options;
    const char* want;
  } kCases[] = {
      {{.fuel = 100}, "OK"},
      {{.fuel = 99},
       "8: The call exceeds its fuel limit (99 backward branches and calls)."},
      {{.fuel = 1, .initializer_fuel = 100}, "OK"},
      {{.initializer_fuel = 99},
       "8: The initializer exceeds its fuel limit (99 backward branches and "
       "calls)."},
      {{.timeout = std::chrono::nanoseconds(1),
        .initializer_timeout = std::chrono::hours(1)},
       "OK"},
      {{.initializer_timeout = milliseconds(-1)},
       "3: The initializer's timeout (-1000000 ns) is below 0."},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.want);
    auto context = Context::Create(device_, Loaded(module), c.options);
    EXPECT_EQ(Line(context), c.want);
    if (context) {
      EXPECT_EQ(context->usage().fuel, 100u);
    }
  }
}

TEST_P(CallOptionsTest, Usage) {
  Context context = Open("loops.vmfb", {.max_memory = 1 << 20});
  ASSERT_TRUE(context.Call("sum_to", {1000}));
  const eyrie_context_usage_t thousand = context.usage();
  EXPECT_GE(thousand.fuel, 1000u);
  EXPECT_GT(thousand.memory, 0u);
  EXPECT_GE(thousand.peak_memory, thousand.memory);
  EXPECT_LE(thousand.peak_memory, uint64_t{1} << 20);
  ASSERT_TRUE(context.Call("sum_to", {2000}, {}, {.fuel = 5000}));
  EXPECT_EQ(context.usage().fuel, thousand.fuel + 1000);
  Context uncounted = Open("loops.vmfb");
  ASSERT_TRUE(uncounted.Call("sum_to", {1000}));
  EXPECT_EQ(uncounted.usage().fuel, thousand.fuel);
  EXPECT_EQ(uncounted.usage().memory, 0u);
  EXPECT_EQ(uncounted.usage().peak_memory, 0u);
}

// Eight threads cancel the tokens of calls that run or have ended. Only the
// calls with a token that is cancelled fail.
TEST_P(CallOptionsTest, LateCancelsHitNoOtherCall) {
  constexpr int kCalls = 300;
  Context context = Open("loops.vmfb");
  auto sum = context.Find("sum_to");
  ASSERT_TRUE(sum);
  std::vector<CancelToken> tokens(kCalls);
  std::atomic<int> current = 0;
  std::atomic<bool> over = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      while (!over) tokens[std::max(0, current.load() - i / 4)].Cancel();
    });
  }
  const std::string ten = Text(sum->Call({10}));
  for (int i = 0; i < kCalls; ++i) {
    current = i;
    const std::string text =
        Line(sum->Call({kForEver}, {}, {.cancel = &tokens[i]}));
    ASSERT_EQ(text, kCancelled);
    ASSERT_EQ(Text(sum->Call({10})), ten);
    const CancelToken own;
    ASSERT_EQ(Text(sum->Call({10}, {}, {.cancel = &own})), ten);
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(context.failed());
}

}  // namespace
}  // namespace eyrie
