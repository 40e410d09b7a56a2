// Tests fences through the C++ API: calls that wait for each other, on one
// device and on two; callbacks; failures; and objects that are destroyed before
// a fence is reached.
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/strings/str_cat.h"
#include "eyrie/fence.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "tests/support/contexts.h"
#include "tests/support/releases.h"

namespace eyrie {
namespace {

using tests::Four;

constexpr char kDevices[][11] = {"local-sync", "local-task"};
constexpr auto kLong = std::chrono::seconds(20);

Device OpenDevice(const char* name) { return *Device::Open(name); }

Fence NewFence(const Device& device) { return *Fence::Create(device); }

// Calls a function that waits for one fence and signals another.
Result<std::vector<Value>> Start(Function function, RowOf<Value> arguments,
                                 const Fence* wait, const Fence& signal) {
  return function.Call(arguments, {}, {.wait = wait, .signal = &signal});
}

// The last status that a callback received, and the number of its calls.
struct Told {
  std::atomic<int> times{0};
  std::string text;  // written before `times`

  std::function<void(const Error*)> Callback() {
    return [this](const Error* error) {
      text = error ? absl::StrCat(static_cast<int>(error->code()), ": ",
                                  error->message())
                   : "OK";
      times.fetch_add(1);
    };
  }
  // Waits for the callback, which may run just after threads in Wait wake up.
  int Await() const {
    for (const auto end = std::chrono::steady_clock::now() + kLong;
         times.load() == 0 && std::chrono::steady_clock::now() < end;) {
      std::this_thread::yield();
    }
    return times.load();
  }
};

// Ten calls, each of which waits for the fence and uses the result of the one
// before. All are queued before the first begins.
TEST(Fences, CallsFollowEachOther) {
  for (const char* name : kDevices) {
    for (const char* release : tests::kReleases) {
      SCOPED_TRACE(absl::StrCat(name, " ", release));
      const Device device = OpenDevice(name);
      Context context =
          tests::OpenContext(device, absl::StrCat(release, "/add.async.vmfb"));
      const auto add = context.Find("add");
      ASSERT_TRUE(add) << add.error().message();
      std::vector<Fence> fences;
      fences.push_back(NewFence(device));
      Value sum = Four(0);
      sum.Lend();
      for (int i = 0; i < 10; ++i) {
        fences.push_back(NewFence(device));
        auto results = Start(*add, {sum, Four(1)}, &fences[i], fences.back());
        ASSERT_TRUE(results) << results.error().message();
        sum = std::move((*results)[0]);
        sum.Lend();
      }
      Told told;
      fences.back().OnDone(told.Callback());
      EXPECT_FALSE(*fences.back().IsReached());
      EXPECT_EQ(
          Text(fences.back().Wait(std::chrono::milliseconds(1))).substr(0, 2),
          "4:");
      EXPECT_EQ(told.times.load(), 0);
      std::thread host([&] { EXPECT_TRUE(fences[0].Signal()); });
      EXPECT_EQ(Text(fences.back().Wait(kLong)), "OK");
      host.join();
      EXPECT_EQ(Floats(sum), "10 21 32 43");
      EXPECT_EQ(told.Await(), 1);
      EXPECT_EQ(told.text, "OK");
    }
  }
}

// A failure reaches every fence of a chain, and later calls.
TEST(Fences, FailuresReachAllThatWaits) {
  for (const char* name : kDevices) {
    SCOPED_TRACE(name);
    const Device device = OpenDevice(name);
    Context context = tests::OpenContext(device, "3.13/add.async.vmfb");
    const auto add = context.Find("add");
    Fence start = NewFence(device);
    Fence first = NewFence(device);
    Fence second = NewFence(device);
    Told told[2];
    second.OnDone(told[0].Callback());
    ASSERT_TRUE(Start(*add, {Four(0), Four(1)}, &start, first));
    ASSERT_TRUE(Start(*add, {Four(0), Four(1)}, &first, second));
    start.Fail(Error(EYRIE_DATA_LOSS, "The sensor is broken."));
    const std::string want = "15: The sensor is broken.";
    EXPECT_EQ(Text(second.Wait(kLong)), want);
    EXPECT_EQ(Text(first.IsReached()), want);
    EXPECT_EQ(Text(second.Signal()), want);
    second.Fail(Error(EYRIE_ABORTED, "Too late."));
    second.OnDone(told[1].Callback());
    for (const Told& each : told) {
      EXPECT_EQ(each.Await(), 1);
      EXPECT_EQ(each.text, want);
    }
    Fence later = NewFence(device);
    EXPECT_FALSE(Start(*add, {Four(0), Four(1)}, &second, later));
    EXPECT_EQ(Text(later.Wait(kLong)).substr(0, want.size()), want);
    // The context remains usable.
    EXPECT_TRUE(context.Call("add", {Four(0), Four(1)}));
  }
}

TEST(Fences, WhatIsWrongWithACallFailsItsFence) {
  const Device device = OpenDevice("local-sync");
  Context context = tests::OpenContext(device, "3.13/add.async.vmfb");
  const auto add = context.Find("add");
  const struct {
    std::vector<Value> arguments;
    const char* want;
  } kCases[] = {
      {{Four(0)}, "3: Function 'add'"},
      {{Four(0), 1, 2}, "3: Function 'add'"},
      {{Four(0), "text"}, "3: "},
  };
  for (const auto& c : kCases) {
    Fence done = NewFence(device);
    Told told;
    done.OnDone(told.Callback());
    const auto results = Start(*add, c.arguments, nullptr, done);
    ASSERT_FALSE(results);
    EXPECT_EQ(Text(results).substr(0, std::string(c.want).size()), c.want);
    EXPECT_EQ(Text(done.Wait()), Text(results));
    EXPECT_EQ(told.Await(), 1);
    EXPECT_EQ(told.text, Text(results));
  }
}

TEST(Fences, NoCallWaitsForItself) {
  const Device device = OpenDevice("local-sync");
  Context context = tests::OpenContext(device, "3.13/add.async.vmfb");
  const auto add = context.Find("add");
  const Fence fence = NewFence(device);
  EXPECT_EQ(Text(Start(*add, {Four(0), Four(1)}, &fence, fence)),
            "3: The fence to wait for is also the one to signal.");
}

// A function without fences is called after the wait.
TEST(Fences, OtherFunctionsAreCalledInTurn) {
  for (const char* name : kDevices) {
    SCOPED_TRACE(name);
    const Device device = OpenDevice(name);
    Context context = tests::OpenContext(
        device, "3.13/add.vmfb", {.timeout = std::chrono::milliseconds(100)});
    const auto add = context.Find("add");
    Fence start = NewFence(device);
    Fence done = NewFence(device);
    ASSERT_TRUE(start.Signal());
    const auto sums = Start(*add, {Four(0), Four(1)}, &start, done);
    ASSERT_TRUE(sums) << sums.error().message();
    EXPECT_EQ(Text(done.Wait()), "OK");
    EXPECT_EQ(Floats((*sums)[0]), "1 3 5 7");
    // A call whose wait is never reached times out, and its context fails.
    Fence never = NewFence(device);
    Fence ended = NewFence(device);
    const auto late = Start(*add, {Four(0), Four(1)}, &never, ended);
    EXPECT_EQ(Text(late).substr(0, 2), "4:") << Text(late);
    EXPECT_EQ(Text(ended.Wait()), Text(late));
    EXPECT_EQ(Text(context.Call("add", {Four(0), Four(1)})).substr(0, 2), "9:");
    // Other contexts remain usable.
    Context other = tests::OpenContext(device, "3.13/add.vmfb");
    EXPECT_TRUE(other.Call("add", {Four(0), Four(1)}));
  }
}

// Without a timeout, such a function does not wait for the host.
TEST(Fences, OtherFunctionsDoNotWaitForTheHost) {
  const std::string refused =
      "9: Function 'add' would wait on this thread for a fence that waits for "
      "a signal of the host, and neither the context nor the call has a "
      "timeout. Signal the fence or wait for it before.";
  for (const char* name : kDevices) {
    SCOPED_TRACE(name);
    const Device device = OpenDevice(name);
    Context context = tests::OpenContext(device, "3.13/add.vmfb");
    Context before = tests::OpenContext(device, "3.13/add.async.vmfb");
    const auto add = context.Find("add");
    const auto first = before.Find("add");
    Fence start = NewFence(device);
    Fence middle = NewFence(device);
    ASSERT_TRUE(Start(*first, {Four(0), Four(1)}, &start, middle));
    for (const Fence* const wait : {&start, &middle}) {
      Fence refuses = NewFence(device);
      EXPECT_EQ(Text(Start(*add, {Four(0), Four(1)}, wait, refuses)), refused);
      EXPECT_EQ(Text(refuses.Wait()), refused);
    }
    EXPECT_EQ(Text(start.Signal()), "OK");
    Fence done = NewFence(device);
    const auto sums = Start(*add, {Four(0), Four(1)}, &middle, done);
    ASSERT_TRUE(sums) << sums.error().message();
    EXPECT_EQ(Floats((*sums)[0]), "1 3 5 7");
    // The host need not signal a fence that fails or is gone.
    Fence gone = NewFence(device);
    Fence after = NewFence(device);
    {
      Fence dropped = NewFence(device);
      ASSERT_TRUE(Start(*first, {Four(0), Four(1)}, &dropped, after));
    }
    EXPECT_EQ(Text(Start(*add, {Four(0), Four(1)}, &after, gone)).substr(0, 2),
              "1:");
  }
}

TEST(Fences, WhatWaitsEndsWithTheContext) {
  for (const char* name : kDevices) {
    SCOPED_TRACE(name);
    const Device device = OpenDevice(name);
    Fence never = NewFence(device);
    Fence done = NewFence(device);
    Told told;
    done.OnDone(told.Callback());
    {
      Context context = tests::OpenContext(device, "3.13/add.async.vmfb");
      const auto add = context.Find("add");
      ASSERT_TRUE(Start(*add, {Four(0), Four(1)}, &never, done));
      EXPECT_EQ(told.times.load(), 0);
    }
    EXPECT_EQ(Text(done.Wait(kLong)).substr(0, 2), "1:");
    EXPECT_EQ(told.Await(), 1);
    EXPECT_TRUE(never.Signal());
  }
}

TEST(Fences, CallbacksRunOnceWhateverHappens) {
  const Device device = OpenDevice("local-sync");
  Told gone;
  {
    Fence fence = NewFence(device);
    fence.OnDone(gone.Callback());
  }
  EXPECT_EQ(gone.Await(), 1);
  EXPECT_EQ(gone.text.substr(0, 2), "1:");  // cancelled
  Fence fence = NewFence(device);
  Told told[3];
  fence.OnDone(told[0].Callback());
  fence.OnDone(told[1].Callback());
  EXPECT_TRUE(fence.Signal());
  EXPECT_EQ(Text(fence.Signal()).substr(0, 2), "3:");
  fence.OnDone(told[2].Callback());
  for (const Told& each : told) {
    EXPECT_EQ(each.Await(), 1);
    EXPECT_EQ(each.text, "OK");
  }
  // A wait without a timeout lasts until another thread signals.
  Fence other = NewFence(device);
  std::string waited;
  std::thread waiter([&] { waited = Text(other.Wait()); });
  EXPECT_TRUE(other.Signal());
  waiter.join();
  EXPECT_EQ(waited, "OK");
}

// One program on two devices, and two programs on one device each.
TEST(Fences, AcrossDevices) {
  for (const char* first : kDevices) {
    for (const char* second : kDevices) {
      SCOPED_TRACE(absl::StrCat(first, " ", second));
      const Device a = OpenDevice(first);
      const Device b = OpenDevice(second);
      const auto module =
          Module::Load("tests/modules/3.13/two_devices.two-async.vmfb");
      auto both = Context::Create({&a, &b}, {&*module});
      ASSERT_TRUE(both) << both.error().message();
      const auto there = both->Find("there_and_back");
      Context other = tests::OpenContext(b, "3.13/add.async.vmfb");
      const auto add = other.Find("add");
      Fence start = NewFence(b);
      Fence back = NewFence(a);
      Fence over = NewFence(b);
      auto results = Start(*there, {Four(10)}, &start, back);
      ASSERT_TRUE(results) << results.error().message();
      Value half = std::move((*results)[0]);
      half.Lend();
      auto sums = Start(*add, {half, Four(1)}, &back, over);
      ASSERT_TRUE(sums) << sums.error().message();
      EXPECT_FALSE(*over.IsReached());
      EXPECT_TRUE(start.Signal());
      EXPECT_EQ(Text(over.Wait(kLong)), "OK");
      EXPECT_EQ(Floats((*sums)[0]), "1 68 171 316");
      // With too few devices.
      const auto alone = Context::Create(a, *module);
      EXPECT_FALSE(alone);
    }
  }
}

}  // namespace
}  // namespace eyrie
