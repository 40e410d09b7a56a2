// Limits of single calls: the call fails, the context remains usable.
#include "vm/limits/call_limits.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"
#include "vm/jit/jit.h"
#include "vm/limits/cancel_token.h"
#include "vm/module/backtrace.h"
#include "vm/module/verifier.h"
#include "vm/native/native_module.h"
#include "vm/run/async_call.h"
#include "vm/run/context.h"
#include "vm/run/interpreter.h"

namespace eyrie::vm {
namespace {

using tests::ModuleBuilder;

constexpr char kForEver[] = "entry: br ^entry []";

struct CallHost : ModuleState {
  explicit CallHost(std::function<absl::Status()>* run) : run(run) {}
  std::function<absl::Status()>* run;
};
absl::Status SleepMs(CallHost&, int32_t ms) {
  absl::SleepFor(absl::Milliseconds(ms));
  return absl::OkStatus();
}
absl::Status Run(CallHost& host) { return (*host.run)(); }
// Suspends the call; nothing wakes it.
absl::Status WaitForever(CallHost& host) {
  if (!host.CanSuspend()) return absl::UnavailableError("It would block.");
  host.TakeWaker();
  return Pending();
}
constexpr NativeFunction kCallHostRows[] = {
    Bind<SleepMs>("sleep", "0i_v"),
    Bind<Run>("run", "0v_v"),
    Bind<WaitForever>("wait", "0v_v"),
};

// Runs in the interpreter or, if the parameter is true, as compiled code.
class CallLimitsTest : public ::testing::TestWithParam<int> {
 protected:
  std::shared_ptr<const BytecodeModule> NewModule(
      const std::vector<const char*>& own) {
    ModuleBuilder module;
    module.name = "m";
    module.requirements = 0xF;
    module.global_bytes = 4;
    module.AddImport("host.sleep", "0i_v");
    module.AddImport("host.run", "0v_v");
    module.AddImport("host.wait", "0v_v");
    // Counts to its argument, with a backward branch for each step. A global
    // has the count.
    module.AddFunction("count", "0i_v",
                       "entry: const.i32.zero i1 const.i32 1 i2 br ^loop [] "
                       "loop: add.i32 i1 i2 i1 global.store.i32 0 i1 "
                       "cmp.lt.i32.s i1 i0 i3 "
                       "cond_br i3 ^loop [] ^done [] done: return []");
    module.AddFunction("counted", "0i_i",
                       "entry: global.load.i32 0 i0 return [i0]");
    module.AddFunction("for_ever", "0i_v", kForEver);
    module.AddFunction("sleep", "0i_v", "entry: call #0 [i0] [] return []");
    module.AddFunction("run", "0i_v", "entry: call #1 [] [] return []");
    module.AddFunction("yields", "0i_v", "entry: yield ^entry []")
        .requirements = 0xF;
    module
        .AddFunction("wait", "0i_v",
                     "entry: call.yieldable #2 [] ^next [] next: return []")
        .requirements = 0xF;
    for (const char* name : own) {
      module.AddFunction(name, "0v_v",
                         "entry: const.i32 100 i0 call 0 [i0] [] return []");
    }
    auto verified = LoadModule(module.Build(), module.name);
    EXPECT_TRUE(verified.ok()) << verified.status();
    return *BytecodeModule::Create(InterpreterHandlers(), *std::move(verified));
  }

  // Each module has the functions `own`, such as __init, which take 101 units.
  absl::StatusOr<std::unique_ptr<Context>> NewContext(
      ContextOptions options, const std::vector<const char*>& own = {},
      size_t modules = 1) {
    if (GetParam() != 0) options.jit = *jit::Create(jit::Mode::kEager);
    auto host = *NativeModule::Create(
        "host", 0, kCallHostRows,
        [this]() -> absl::StatusOr<std::unique_ptr<ModuleState>> {
          return std::make_unique<CallHost>(&run_);
        });
    std::vector<std::shared_ptr<const Module>> all = {host};
    while (all.size() <= modules) all.push_back(NewModule(own));
    return Context::Create(std::move(all), options);
  }

  static std::string Text(const absl::Status& status) {
    if (status.ok()) return "OK";
    return absl::StrCat(absl::StatusCodeToString(status.code()), ": ",
                        WithoutBacktrace(status.message()));
  }
  // Calls a function with limits of its own. Returns "OK" or the error.
  std::string Call(const char* name, int32_t argument, CallLimits limits) {
    LimitedCall limited(std::move(limits));
    const Context::LimitScope scope(*context_, &limited);
    if (!scope.status().ok()) return Text(scope.status());
    return Call(name, argument);
  }
  std::string Call(const char* name, int32_t argument) {
    const Value args[] = {Value(argument)};
    return Text(context_->Call(*context_->Lookup(name), args).status());
  }
  int32_t Counted() {
    const Value args[] = {Value(0)};
    return (*context_->Call(*context_->Lookup("counted"), args))[0].i32();
  }

  std::function<absl::Status()> run_ = [] { return absl::OkStatus(); };
  std::unique_ptr<Context> context_;
};

INSTANTIATE_TEST_SUITE_P(Engines, CallLimitsTest,
                         ::testing::Range(0, jit::HasCompiler() ? 2 : 1));

Limits Of(uint64_t fuel, absl::Duration timeout) {
  Limits limits;
  limits.fuel = fuel;
  limits.timeout = timeout;
  return limits;
}

constexpr uint64_t kAll = Limits::kUnlimited;
constexpr char kLate[] =
    "DEADLINE_EXCEEDED: The call exceeds the time limit of its options (20ms).";
constexpr char kSpent[] =
    "RESOURCE_EXHAUSTED: The call exceeds the fuel limit of its options (100 ";
constexpr char kCancelled[] = "CANCELLED: The call is cancelled by its token.";

const absl::Duration kShort = absl::Milliseconds(20);
const absl::Duration kEver = absl::InfiniteDuration();
const absl::Duration kLong = absl::Hours(1);

std::shared_ptr<CancelToken> CancelledToken() {
  auto token = std::make_shared<CancelToken>();
  token->Cancel();
  return token;
}

const struct {
  const char* what;
  Limits context;
  CallLimits limits;
  const char* function;
  int32_t argument;
  const char* want;  // its beginning
  bool fails_context = false;
} kRows[] = {
    {"no limit", Of(kAll, kEver), {}, "count", 1000, "OK"},
    {"enough", Of(kAll, kEver), {100, kLong}, "count", 100, "OK"},
    {"fuel", Of(kAll, kEver), {100}, "count", 101, kSpent},
    {"less fuel", Of(200, kLong), {100}, "count", 101, kSpent},
    {"more fuel",
     Of(200, kEver),
     {300},
     "count",
     250,
     "RESOURCE_EXHAUSTED: The call exceeds its fuel limit (200 ",
     true},
    {"no fuel",
     Of(kAll, kEver),
     {0},
     "count",
     1,
     "RESOURCE_EXHAUSTED: The call exceeds the fuel limit of its options (0 "},
    {"time", Of(kAll, kEver), {kAll, kShort}, "for_ever", 0, kLate},
    {"less time",
     Of(kAll, kLong),
     {uint64_t{1} << 40, kShort},
     "for_ever",
     0,
     kLate},
    {"more time",
     Of(kAll, kShort),
     {kAll, kLong},
     "for_ever",
     0,
     "DEADLINE_EXCEEDED: The call exceeds its time limit (20ms).",
     true},
    {"no time",
     Of(kAll, kEver),
     {kAll, absl::ZeroDuration()},
     "count",
     1,
     "DEADLINE_EXCEEDED: The call exceeds the time limit of its options (0)."},
    {"yields", Of(kAll, kEver), {kAll, kShort}, "yields", 0, kLate},
    {"native code", Of(kAll, kEver), {kAll, kShort}, "sleep", 30, kLate},
    {"cancelled before",
     Of(kAll, kEver),
     {kAll, kEver, CancelledToken()},
     "count",
     1,
     kCancelled},
    {"cancelled before, with a timeout",
     Of(kAll, kLong),
     {kAll, kLong, CancelledToken()},
     "for_ever",
     1,
     kCancelled},
};

TEST_P(CallLimitsTest, OnlyTheContextsLimitsFailIt) {
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.what);
    ContextOptions options;
    options.limits = row.context;
    context_ = *NewContext(options);
    const std::string want = row.want;
    EXPECT_EQ(
        Call(row.function, row.argument, row.limits).substr(0, want.size()),
        want);
    EXPECT_EQ(!context_->failure().ok(), row.fails_context);
    // Calls with and without limits go on.
    const std::string after = row.fails_context ? "FAILED_PRECONDITION" : "OK";
    EXPECT_EQ(Call("count", 90).substr(0, after.size()), after);
    EXPECT_EQ(Call("count", 90, {100, kLong}).substr(0, after.size()), after);
    if (!row.fails_context) {
      EXPECT_EQ(context_->FuelUsed(), 90u);
    }
  }
}

TEST_P(CallLimitsTest, GlobalsKeepWhatTheCallWrote) {
  context_ = *NewContext({});
  EXPECT_EQ(Call("count", 1000, {.fuel = 50}).substr(0, 18),
            "RESOURCE_EXHAUSTED");
  EXPECT_EQ(Counted(), 50);
}

TEST_P(CallLimitsTest, LimitsCountAllCallsOfAScope) {
  context_ = *NewContext({});
  LimitedCall limited({.fuel = 100});
  const Context::LimitScope scope(*context_, &limited);
  EXPECT_EQ(Call("count", 60), "OK");
  EXPECT_EQ(Call("count", 40), "OK");
  EXPECT_EQ(context_->FuelUsed(), 100u);
  EXPECT_EQ(Call("count", 1).substr(0, 18), "RESOURCE_EXHAUSTED");
  EXPECT_TRUE(context_->failure().ok());
}

TEST_P(CallLimitsTest, FuelUsed) {
  for (const uint64_t fuel : {kAll, uint64_t{1000}}) {
    ContextOptions options;
    options.limits.fuel = fuel;
    context_ = *NewContext(options);
    EXPECT_EQ(context_->FuelUsed(), 0u);
    EXPECT_EQ(Call("count", 70), "OK");
    EXPECT_EQ(context_->FuelUsed(), 70u);
    EXPECT_EQ(Call("count", 5, {.fuel = 80}), "OK");
    EXPECT_EQ(context_->FuelUsed(), 5u);
    EXPECT_EQ(Call("count", 7), "OK");
    EXPECT_EQ(context_->FuelUsed(), 7u);
  }
}

// A token is cancelled while the call runs, by the call itself.
TEST_P(CallLimitsTest, CancelDuringTheCall) {
  context_ = *NewContext({});
  const auto token = std::make_shared<CancelToken>();
  run_ = [&token] {
    token->Cancel();
    return absl::OkStatus();
  };
  EXPECT_EQ(Call("run", 0, {.cancel = token}),
            absl::StrCat(kCancelled, " (noticed when it returned)"));
  EXPECT_EQ(Call("count", 9), "OK");
  EXPECT_EQ(Call("count", 9, {.cancel = token}), kCancelled);
  EXPECT_EQ(Call("count", 9, {.cancel = std::make_shared<CancelToken>()}),
            "OK");
}

// The context's own Cancel wins over a token, in either order.
TEST_P(CallLimitsTest, CancelledContextsStayFailed) {
  for (const bool context_first : {false, true}) {
    context_ = *NewContext({});
    const auto token = std::make_shared<CancelToken>();
    run_ = [&] {
      if (context_first) context_->Cancel();
      token->Cancel();
      if (!context_first) context_->Cancel();
      return absl::OkStatus();
    };
    EXPECT_EQ(Call("run", 0, {.cancel = token}),
              "CANCELLED: The call is cancelled. (noticed when it returned)");
    EXPECT_EQ(Call("count", 9).substr(0, 19), "FAILED_PRECONDITION");
  }
}

TEST_P(CallLimitsTest, InnerCallsHaveNoLimitsOfTheirOwn) {
  context_ = *NewContext({});
  std::string inner, plain;
  run_ = [&] {
    inner = Call("count", 9, {.fuel = 100});
    plain = Call("count", 9);
    return absl::OkStatus();
  };
  EXPECT_EQ(Call("run", 0, {.fuel = 50}), "OK");
  EXPECT_EQ(inner,
            "FAILED_PRECONDITION: A call that is part of another one of the "
            "same context cannot have limits of its own.");
  EXPECT_EQ(plain, "OK");
  EXPECT_EQ(context_->FuelUsed(), 11u);
}

// Work of devices is stopped with the call, and only with it.
TEST_P(CallLimitsTest, DevicesWorkIsLimited) {
  context_ = *NewContext({});
  std::shared_ptr<WorkBudget> work;
  run_ = [&] {
    work = context_->meter().work();
    return work->Pay(10);
  };
  EXPECT_EQ(Call("run", 0, {.fuel = 10}), "OK");
  EXPECT_FALSE(work->stopped());
  EXPECT_EQ(Call("run", 0, {.fuel = 9}).substr(0, 60),
            "RESOURCE_EXHAUSTED: The device's work for the call takes mor");
  EXPECT_TRUE(work->stopped());
  EXPECT_EQ(Call("run", 0), "OK");
  EXPECT_FALSE(work->stopped());
  // Work that the call left ends with the context's Cancel.
  EXPECT_EQ(Call("run", 0, {.fuel = 1000}), "OK");
  EXPECT_TRUE(work->Pay(10).ok());
  context_->Cancel();
  EXPECT_EQ(work->Pay(10).code(), absl::StatusCode::kCancelled);
}

TEST_P(CallLimitsTest, Initializers) {
  // __init takes 101 units: the call, one more call, and 99 branches.
  const struct {
    const char* what;
    Limits context;
    std::optional<CallLimits> initializer;
    const char* want;
  } kCases[] = {
      {"none", Limits(), std::nullopt, "OK"},
      {"the context's", Of(100, absl::InfiniteDuration()), std::nullopt,
       "RESOURCE_EXHAUSTED: The call exceeds its fuel limit (100 backward "
       "branches and calls)."},
      {"more than the context's", Of(100, absl::Nanoseconds(1)),
       CallLimits{101, absl::Hours(1)}, "OK"},
      {"less fuel", Limits(), CallLimits{100},
       "RESOURCE_EXHAUSTED: The initializer exceeds its fuel limit (100 "
       "backward branches and calls)."},
      {"less time", Limits(), CallLimits{kAll, absl::ZeroDuration()},
       "DEADLINE_EXCEEDED: The initializer exceeds its time limit (0)."},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.what);
    ContextOptions options;
    options.limits = c.context;
    options.initializer = c.initializer;
    auto context = NewContext(options, {"__init"});
    EXPECT_EQ(Text(context.status()), c.want);
    if (context.ok()) {
      EXPECT_EQ((*context)->FuelUsed(), 101u);
    }
  }
}

// A limit of initializers is for all of them together, and a limit of the
// context is for each.
TEST_P(CallLimitsTest, InitializersOfTwoModules) {
  const struct {
    uint64_t context;
    std::optional<CallLimits> initializer;
    bool fits;
  } kCases[] = {
      {101, std::nullopt, true},
      {100, std::nullopt, false},
      {100, CallLimits{202}, true},
      {500, CallLimits{201}, false},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.context);
    ContextOptions options;
    options.limits = Of(c.context, absl::InfiniteDuration());
    options.initializer = c.initializer;
    EXPECT_EQ(
        NewContext(options, {"__init"}, 2).status().code(),
        c.fits ? absl::StatusCode::kOk : absl::StatusCode::kResourceExhausted);
  }
}

TEST_P(CallLimitsTest, Deinitializers) {
  const char* const lost =
      "RESOURCE_EXHAUSTED: The call exceeds its fuel limit (100 backward "
      "branches and calls).";
  const struct {
    uint64_t fuel;
    size_t modules;
    std::vector<std::string> want;
  } kCases[] = {
      {101, 1, {}},
      {101, 2, {}},
      {100, 1, {lost}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(absl::StrCat(c.fuel, " ", c.modules));
    std::vector<std::string> errors;
    ContextOptions options;
    options.limits = Of(c.fuel, absl::InfiniteDuration());
    options.initializer = CallLimits{1000};
    options.lost = [&errors](const absl::Status& status) {
      errors.push_back(Text(status));
    };
    auto context = NewContext(options, {"__deinit"}, c.modules);
    ASSERT_TRUE(context.ok()) << context.status();
    context->reset();
    EXPECT_EQ(errors, c.want);
  }
}

// Work that is scheduled for one thread.
struct WaitLoop {
  std::mutex mutex;
  std::vector<std::function<void()>> work;

  bool RunOne() {
    std::function<void()> next;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      if (work.empty()) return false;
      next = std::move(work.front());
      work.erase(work.begin());
    }
    next();
    return true;
  }
};

TEST_P(CallLimitsTest, SuspendedCalls) {
  const auto token = std::make_shared<CancelToken>();
  const struct {
    const char* what;
    const char* function;
    CallLimits limits;
    const char* want;
  } kCases[] = {
      {"time", "wait", {kAll, absl::Milliseconds(20)}, kLate},
      {"time, yields", "yields", {kAll, absl::Milliseconds(20)}, kLate},
      {"fuel",
       "yields",
       {20},
       "RESOURCE_EXHAUSTED: The call exceeds the fuel limit of its options "
       "(20 backward branches and calls)."},
      {"cancelled before",
       "wait",
       {kAll, absl::InfiniteDuration(), CancelledToken()},
       kCancelled},
      {"cancelled",
       "wait",
       {kAll, absl::InfiniteDuration(), token},
       kCancelled},
  };
  context_ = *NewContext({});
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.what);
    WaitLoop loop;
    std::string result;
    const Value args[] = {Value(0)};
    auto call = *AsyncCall::Begin(
        *context_, *context_->Lookup(c.function), args,
        [&loop](std::function<void()> work) {
          const std::lock_guard<std::mutex> lock(loop.mutex);
          loop.work.push_back(std::move(work));
        },
        [&](const absl::StatusOr<std::vector<Value>>& results) {
          result = Text(results.status());
        },
        std::make_shared<LimitedCall>(c.limits));
    loop.RunOne();
    if (result.empty()) {
      EXPECT_EQ(Call("count", 5), "OK");  // has no limits
      if (c.limits.cancel != nullptr) c.limits.cancel->Cancel();
    }
    while (result.empty()) {
      if (!loop.RunOne()) absl::SleepFor(absl::Milliseconds(1));
    }
    // A call may also notice its end when a piece returns.
    EXPECT_EQ(result.substr(0, std::string(c.want).size()), c.want);
    EXPECT_EQ(Call("count", 5), "OK");
  }
}

// Threads cancel tokens of calls that run, that have ended, and that begin. A
// call is cancelled only by its own token.
TEST_P(CallLimitsTest, LateCancelsHitNoOtherCall) {
  constexpr int kThreads = 8;
  constexpr int kCalls = 400;
  context_ = *NewContext({});
  std::vector<std::shared_ptr<CancelToken>> tokens;
  for (int i = 0; i < kCalls; ++i) {
    tokens.push_back(std::make_shared<CancelToken>());
  }
  std::atomic<int> running = 0;
  std::atomic<bool> over = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (uint32_t step = i; !over; step += kThreads) {
        // The tokens of this call and of a few before it.
        const int now = running;
        tokens[std::max<int>(0, now - static_cast<int>(step % 4))]->Cancel();
      }
    });
  }
  int ended = 0;
  for (int i = 0; i < kCalls; ++i) {
    running = i;
    const std::string text =
        Call(i % 2 == 0 ? "count" : "for_ever", 100, {.cancel = tokens[i]});
    if (text != "OK") {
      ++ended;
      EXPECT_EQ(text.substr(0, 46), kCancelled);
      EXPECT_TRUE(tokens[i]->is_cancelled());
    }
    ASSERT_EQ(Call("count", 100), "OK");
    ASSERT_EQ(Call("count", 100, {.cancel = std::make_shared<CancelToken>()}),
              "OK");
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(ended, kCalls / 2);
  EXPECT_TRUE(context_->failure().ok());
}

}  // namespace
}  // namespace eyrie::vm
