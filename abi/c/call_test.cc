// Tests that every way to call takes the same arguments and options: by
// position and by name, with arrays for results, limits, an allocator and
// fences; and that a context lives as long as its calls.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/strings/str_cat.h"
#include "eyrie/call_options.h"
#include "eyrie/fence.h"
#include "eyrie/pending_call.h"
#include "eyrie/prepared_call.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "tests/support/contexts.h"

namespace eyrie {
namespace {

using std::chrono::milliseconds;
using tests::Four;

// Returns the elements of the only result, or the error.
std::string Sums(const Result<std::vector<Value>>& results) {
  return results ? Floats(results->front()) : Text(results);
}

// Drives a pending call to its end.
Result<std::vector<Value>> Drive(PendingCall& call,
                                 const std::atomic<int>& wakes) {
  for (int seen = 0; !call.Poll(); ++seen) {
    while (wakes == seen) std::this_thread::sleep_for(milliseconds(1));
  }
  return call.Results();
}

struct Given {
  std::vector<Value> arguments;
  std::vector<Value::Entry> named;
  std::vector<Value> outs;
};

using Way = std::function<Result<std::vector<Value>>(Function&, const Given&,
                                                     const CallOptions&)>;

const struct {
  const char* name;
  Way call;
} kWays[] = {
    {"call",
     [](Function& function, const Given& given, const CallOptions& options) {
       return function.CallOut(given.outs, given.arguments, given.named,
                               options);
     }},
    {"prepare",
     [](Function& function, const Given& given,
        const CallOptions& options) -> Result<std::vector<Value>> {
       auto call = PreparedCall::Prepare(function, given.arguments, given.named,
                                         given.outs);
       if (!call) return call.error();
       if (auto done = call->Run(options); !done) return done.error();
       return std::vector<Value>(call->results().begin(),
                                 call->results().end());
     }},
    {"begin",
     [](Function& function, const Given& given,
        const CallOptions& options) -> Result<std::vector<Value>> {
       std::atomic<int> wakes = 0;
       auto call = PendingCall::Begin(
           function, given.arguments, [&wakes] { ++wakes; }, given.named,
           options, given.outs);
       if (!call) return call.error();
       return Drive(*call, wakes);
     }},
};

class Counting final : public Allocator {
 public:
  void* Allocate(size_t size, size_t alignment) override {
    ++total;
    return std::aligned_alloc(alignment,
                              (size + alignment - 1) / alignment * alignment);
  }
  void Free(void* memory, size_t) override { std::free(memory); }

  std::atomic<int> total = 0;
};

constexpr const char* kModules[][2] = {
    {"3.13/add.vmfb", "add"},
    {"3.13/add.async.vmfb", "add"},
    {"3.13/destination.vmfb", "add_into"},
    {"3.13/destination.async.vmfb", "add_into"},
};

// Runs a row for each way and each kind of function.
void ForEach(const std::function<void(Function& function, const Way& way,
                                      const Device& device)>& row) {
  for (const char* name : {"local-sync", "local-task"}) {
    for (const auto& [file, function_name] : kModules) {
      for (const auto& way : kWays) {
        SCOPED_TRACE(absl::StrCat(name, " ", file, " ", way.name));
        const Device device = *Device::Open(name);
        Context context = tests::OpenContext(device, file);
        auto function = context.Find(function_name);
        ASSERT_TRUE(function) << Text(function);
        row(*function, way.call, device);
      }
    }
  }
}

TEST(EveryWayToCall, TakesArraysForResults) {
  ForEach([](Function& function, const Way& way, const Device&) {
    alignas(64) float sums[4] = {};
    const Value out = *Value::Borrow({4}, sums);
    const auto results = way(function, {{Four(0), Four(1)}, {}, {out}}, {});
    EXPECT_EQ(Sums(results), "1 3 5 7");
    EXPECT_EQ(std::vector<float>(sums, sums + 4),
              (std::vector<float>{1, 3, 5, 7}));
    EXPECT_EQ(Text(way(function, {{Four(0), Four(1)}, {}, {out, out}}, {}))
                  .substr(0, 2),
              "3:");
  });
}

TEST(EveryWayToCall, TakesLimitsAndAnAllocator) {
  ForEach([](Function& function, const Way& way, const Device&) {
    CancelToken cancelled;
    cancelled.Cancel();
    const Given given = {{Four(0), Four(1)}, {}, {}};
    EXPECT_EQ(Text(way(function, given, {.cancel = &cancelled})).substr(0, 2),
              "1:");
    EXPECT_EQ(
        Text(way(function, given, {.timeout = milliseconds(-1)})).substr(0, 2),
        "3:");
    const auto memory = std::make_shared<Counting>();
    const CallOptions options = {.timeout = std::chrono::hours(1),
                                 .allocator = memory};
    for (int i = 1; i <= 3; ++i) {
      EXPECT_EQ(Sums(way(function, given, options)), "1 3 5 7");
      EXPECT_EQ(memory->total, i);
    }
  });
}

// A C array that is too small for the results fails the call before it runs.
TEST(EveryWayToCall, WritesNothingIfThereIsNoRoomForResults) {
  const Device device = *Device::Open("local-sync");
  eyrie_call_options_t options = {};
  options.struct_size = sizeof(options);
  for (const auto& [file, function_name] : kModules) {
    for (const bool has_value : {false, true}) {
      for (const eyrie_call_options_t* given :
           std::initializer_list<const eyrie_call_options_t*>{nullptr,
                                                              &options}) {
        SCOPED_TRACE(absl::StrCat(file, has_value, given != nullptr));
        Context context = tests::OpenContext(device, file);
        auto add = context.Find(function_name);
        alignas(64) float sums[4] = {};
        const Value out = *Value::Borrow({4}, sums);
        auto call = PreparedCall::Prepare(*add, {Four(0), Four(1)}, {}, {out});
        ASSERT_TRUE(call) << Text(call);
        const Value seven(7);
        eyrie_value_t* const before = has_value ? seven.get() : nullptr;
        eyrie_value_t* after_the_array = before;
        EXPECT_EQ(ErrorText(eyrie_prepared_call_run(call->get(), given,
                                                    &after_the_array, 0)),
                  absl::StrCat("3: Function '", function_name,
                               "' has 1 result and there is room for 0."));
        EXPECT_EQ(after_the_array, before);
        EXPECT_EQ(ValueText(seven.get()), "7");
        EXPECT_EQ(sums[3], 0);
      }
    }
  }
}

// A call begins after its fence, and signals another one.
TEST(EveryWayToCall, WaitsAndSignals) {
  for (const bool has_out : {false, true}) {
    ForEach([has_out](Function& function, const Way& way,
                      const Device& device) {
      alignas(64) float sums[4] = {};
      alignas(64) float given[4] = {};
      Value lent = *Value::Borrow({4}, given);
      lent.Lend();
      Given arguments = {{lent, Four(1)}, {}, {}};
      if (has_out) arguments.outs.push_back(*Value::Borrow({4}, sums));
      Fence wait = *Fence::Create(device);
      Fence signal = *Fence::Create(device);
      std::thread host([&] {
        std::this_thread::sleep_for(milliseconds(2));
        given[0] = 40;
        EXPECT_EQ(Text(wait.Signal()), "OK");
      });
      // Without a timeout, no thread waits for a signal of the host.
      const auto results = way(
          function, arguments,
          {.timeout = std::chrono::hours(1), .wait = &wait, .signal = &signal});
      ASSERT_TRUE(results) << Text(results);
      EXPECT_EQ(Text(signal.Wait(std::chrono::seconds(20))), "OK");
      host.join();
      EXPECT_EQ(Sums(results), "41 2 3 4");
      if (has_out) {
        EXPECT_EQ(sums[0], 41);
      }
    });
  }
}

// The failure of a fence is that of the call, and of the fence that it signals;
// so is every other failure.
TEST(EveryWayToCall, PassesFailuresOn) {
  ForEach([](Function& function, const Way& way, const Device& device) {
    Fence broken = *Fence::Create(device);
    broken.Fail(Error(EYRIE_DATA_LOSS, "The sensor is broken."));
    const struct {
      Given given;
      CallOptions options;
      const char* want;
    } rows[] = {
        {{{Four(0), Four(1)}, {}, {}}, {.wait = &broken}, "15: The sensor is "},
        {{{Four(0), 1, 2, 3}, {}, {}}, {}, "3: Function 'add"},
        {{{Four(0), Four(1)}, {}, {Value(1)}}, {}, "3: Result 0: "},
        {{{Four(0), Four(1)}, {}, {}},
         {.timeout = milliseconds(-1)},
         "3: The call's timeout"},
    };
    for (const auto& row : rows) {
      SCOPED_TRACE(row.want);
      Fence signal = *Fence::Create(device);
      CallOptions options = row.options;
      options.signal = &signal;
      const std::string want = row.want;
      const std::string text = Text(way(function, row.given, options));
      if (!text.empty() && text != "OK") {
        EXPECT_EQ(text.substr(0, want.size()), want);
      }
      // Arguments of a prepared call fail before it has a fence to signal.
      const bool is_early = &way == &kWays[1].call &&
                            row.options.wait == nullptr &&
                            row.options.timeout.count() == 0;
      if (is_early) {
        EXPECT_TRUE(signal.IsReached());
        continue;
      }
      const std::string passed = Text(signal.Wait(std::chrono::seconds(20)));
      EXPECT_EQ(passed.substr(0, want.size()), want);
    }
  });
}

TEST(PendingCallMatrix, NoWakeBeforeTheFirstPoll) {
  Context context = tests::OpenContext("3.13/vm_yield.vmfb");
  auto function = context.Find("yield_loop");
  ASSERT_TRUE(function);
  std::atomic<int> wakes = 0;
  CancelToken token;
  auto call = PendingCall::Begin(*function, {3}, [&wakes] { ++wakes; }, {},
                                 {.cancel = &token});
  ASSERT_TRUE(call);
  EXPECT_EQ(wakes, 0);
  token.Cancel();
  EXPECT_EQ(wakes, 0);
  EXPECT_TRUE(call->Poll());
  EXPECT_EQ(Text(call->Results()).substr(0, 2), "1:");
  auto other = PendingCall::Begin(*function, {3}, [&wakes] { ++wakes; });
  EXPECT_FALSE(other->Poll());
  EXPECT_EQ(wakes, 1);
}

TEST(PendingCallMatrix, FailsItsFenceIfItIsFreed) {
  const Device device = *Device::Open("local-sync");
  Context context = tests::OpenContext(device, "3.13/vm_yield.vmfb");
  auto function = context.Find("yield_loop");
  Fence signal = *Fence::Create(device);
  {
    auto call =
        PendingCall::Begin(*function, {3}, [] {}, {}, {.signal = &signal});
    EXPECT_FALSE(call->Poll());
  }
  EXPECT_EQ(Text(signal.Wait()), "1: The call was freed before it was over.");
}

// A pending call that waits for a fence ends by its own limits.
TEST(PendingCallMatrix, LimitsApplyWhileItWaits) {
  for (const char* file : {"3.13/add.vmfb", "3.13/add.async.vmfb"}) {
    for (const bool cancels : {false, true}) {
      SCOPED_TRACE(absl::StrCat(file, cancels));
      const Device device = *Device::Open("local-sync");
      Context context = tests::OpenContext(device, file);
      auto add = context.Find("add");
      Fence never = *Fence::Create(device);
      CancelToken token;
      CallOptions options = {.cancel = &token, .wait = &never};
      if (!cancels) options.timeout = milliseconds(20);
      std::atomic<int> wakes = 0;
      auto call = PendingCall::Begin(
          *add, {Four(0), Four(1)}, [&wakes] { ++wakes; }, {}, options);
      ASSERT_TRUE(call) << Text(call);
      EXPECT_FALSE(call->Poll());
      if (cancels) token.Cancel();
      const int seen = wakes;
      while (!call->Poll()) {
        while (wakes == seen) std::this_thread::sleep_for(milliseconds(1));
      }
      EXPECT_EQ(Text(call->Results()).substr(0, 2), cancels ? "1:" : "4:");
      EXPECT_FALSE(context.failed());
      EXPECT_EQ(Sums(context.Call("add", {Four(0), Four(1)})), "1 3 5 7");
      EXPECT_EQ(Text(never.Signal()), "OK");
    }
  }
}

// Finalizers run in any order: calls keep their context.
TEST(CallsKeepTheirContext, InAnyOrder) {
  for (const char* file : {"3.13/add.vmfb", "3.13/add.async.vmfb"}) {
    SCOPED_TRACE(file);
    std::optional<Context> context = tests::OpenContext(file);
    auto add = context->Find("add");
    auto prepared = PreparedCall::Prepare(*add, {Four(0), Four(1)});
    auto pending = PendingCall::Begin(*add, {Four(0), Four(1)}, [] {});
    ASSERT_TRUE(prepared && pending);
    eyrie_context_t* const kept = context->get();
    eyrie_context_retain(kept);
    context.reset();
    EXPECT_EQ(Text(prepared->Run()), "OK");
    EXPECT_EQ(Floats(prepared->results()[0]), "1 3 5 7");
    eyrie_context_release(kept);
    while (!pending->Poll()) {
    }
    EXPECT_EQ(Sums(pending->Results()), "1 3 5 7");
    EXPECT_EQ(Text(prepared->Run()), "OK");
  }
}

}  // namespace
}  // namespace eyrie
