// A program that forks, through the C++ API. Tests the parent's devices,
// contexts, fences, calls and pools in the child, and new ones of the child.
#include <stdlib.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/sanitized.h"
#include "eyrie/call_pool.h"
#include "eyrie/fence.h"
#include "eyrie/pending_call.h"
#include "eyrie/runtime.h"
#include "eyrie/trace.h"
#include "gtest/gtest.h"
#include "tests/support/contexts.h"
#include "tests/support/in_child.h"
#include "tests/support/lavapipe.h"

namespace eyrie::tests {
namespace {

constexpr auto kShort = std::chrono::milliseconds(50);
constexpr uint64_t kForEver = 1'000'000'000'000'000;

const struct DeviceRow {
  const char* name;
  const char* suffix;  // of the modules' files
  const char* async;   // also of the files; functions wait and signal
  bool has_threads;
} kDevices[] = {
    {"local-sync", "", ".async", false},
    {"local-task", "", ".async", true},
    {"vulkan", ".vulkan", ".vulkan-async", true},
};

std::string Floats(const Result<std::vector<Value>>& results) {
  return results ? eyrie::Floats(results->at(0)) : Text(results);
}

// Opens a module that was compiled for the device.
Context Open(const DeviceRow& row, const Device& device,
             const std::string& name, const ContextOptions& options = {}) {
  return OpenContext(device, absl::StrCat("3.13/", name, row.suffix, ".vmfb"),
                     options);
}

// Objects that the parent has when it forks.
struct Before {
  explicit Before(const DeviceRow& device_row);

  const DeviceRow& row;
  Device device;
  Context add;
  Context fences;
  Context loops;
  Function start_add;  // of `fences`; signals a fence
  Fence open;          // not signalled yet
  Fence done;          // of `waiting`, a call that waits for `open`
  Result<std::vector<Value>> waiting;
  Result<std::vector<Value>> sums;  // of a call that has returned
  std::optional<PendingCall> pending;
  std::optional<CallPool> pool;
};

Before::Before(const DeviceRow& device_row)
    : row(device_row),
      device(*Device::Open(row.name)),
      add(Open(row, device, "add")),
      fences(OpenContext(device, absl::StrCat("3.13/add", row.async, ".vmfb"))),
      loops(Open(row, device, "loops", {.timeout = kShort})),
      start_add(*fences.Find("add")),
      open(*Fence::Create(device)),
      done(*Fence::Create(device)),
      waiting(start_add.Call({Four(1), Four(2)}, {},
                             {.wait = &open, .signal = &done})),
      sums(add.Call("add", {Four(1), Four(10)})) {
  auto begun = PendingCall::Begin(start_add, {Four(1), Four(2)}, [] {});
  EXPECT_TRUE(begun) << begun.error().message();
  pending.emplace(*std::move(begun));
  // Starts the threads of the device, of the pool, and of the limits.
  auto module =
      Module::Load(absl::StrCat("tests/modules/3.13/add", row.suffix, ".vmfb"));
  pool.emplace(*CallPool::Start(device, *module, 2));
  EXPECT_EQ(Floats(pool->Call("add", {Four(1), Four(10)}).get()),
            "11 13 15 17");
  if (row.suffix[0] == 0) {
    Context work = Open(row, device, "workload");
    const std::vector<float> halves(1 << 20, 0.5f);
    EXPECT_EQ(Floats(work.Call("big_sum", {*Value::Array({1 << 20}, halves)})),
              "1.04858e+06");
  }
}

constexpr char kDevice[] = "9: Device '";
constexpr char kFence[] = "9: The device of a fence was opened before fork()";
constexpr char kPool[] = "9: The call pool was started before fork()";

const struct Row {
  const char* name;
  std::string (*run)(Before& before);
  const char* want;   // of a device without threads
  const char* fails;  // start of the error with threads; null: the same text
} kRows[] = {
    {"a call",
     [](Before& b) { return Floats(b.add.Call("add", {Four(1), Four(2)})); },
     "3 5 7 9", kDevice},
    {"a call that waits and signals",
     [](Before& b) {
       Fence own = *Fence::Create(*Device::Open("local-sync"));
       return Text<std::vector<Value>>(
           b.start_add.Call({Four(1), Four(2)}, {}, {.signal = &own}));
     },
     "OK", kDevice},
    {"another context",
     [](Before& b) {
       auto module = Module::Load(
           absl::StrCat("tests/modules/3.13/add", b.row.suffix, ".vmfb"));
       return Text(Context::Create(b.device, *module));
     },
     "OK", kDevice},
    {"another fence", [](Before& b) { return Text(Fence::Create(b.device)); },
     "OK", kDevice},
    {"a wait",
     [](Before& b) {
       return b.row.has_threads ? Text(b.done.Wait())
                                : Text(b.done.Wait(kShort));
     },
     "4: The semaphore is at 0 and did not reach 1 in time.", kFence},
    {"a wait that is short",
     [](Before& b) { return Text(b.open.Wait(kShort)); },
     "4: The semaphore is at 0 and did not reach 1 in time.", kFence},
    {"a question", [](Before& b) { return Text(b.done.IsReached()); }, "OK",
     kFence},
    {"a callback",
     [](Before& b) {
       std::string told;
       b.done.OnDone([&](const Error* error) {
         told = error ? absl::StrCat(static_cast<int>(error->code()), ": ",
                                     error->message())
                      : "OK";
       });
       if (!b.row.has_threads) {
         EXPECT_TRUE(b.open.Signal());
       }
       return told;
     },
     "OK", kFence},
    {"a signal", [](Before& b) { return Text(b.open.Signal()); }, "OK",
     nullptr},
    {"a pending call",
     [](Before& b) {
       while (!b.pending->Poll()) {
       }
       return Floats(b.pending->Results());
     },
     "3 5 7 9", kDevice},
    {"another pending call",
     [](Before& b) {
       auto call = PendingCall::Begin(b.start_add, {Four(1), Four(2)}, [] {});
       if (!call) return Text(call);
       while (!call->Poll()) {
       }
       return Floats(call->Results());
     },
     "3 5 7 9", kDevice},
    {"a pool",
     [](Before& b) {
       return Floats(b.pool->Call("add", {Four(1), Four(2)}).get());
     },
     kPool, kPool},
    {"the end of a pool",
     [](Before& b) {
       b.pool.reset();
       return std::string("OK");
     },
     "OK", nullptr},
    {"results", [](Before& b) { return Floats(b.sums); }, "11 13 15 17",
     nullptr},
    {"a trace",
     [](Before& b) {
       auto trace = Trace::Start();
       if (!trace) return Text(trace);
       b.add.Call("add", {Four(1), Four(2)}).ok();
       trace->Stop();
       return std::string("OK");
     },
     "OK", nullptr},
    {"a device of its own",
     [](Before& b) {
       auto device = Device::Open(b.row.name);
       if (!device) return Text(device);
       Context add = Open(b.row, *device, "add");
       Context fences =
           OpenContext(*device, absl::StrCat("3.13/add", b.row.async, ".vmfb"));
       return absl::StrCat(Floats(add.Call("add", {Four(1), Four(2)})), ", ",
                           Floats(fences.Call("add", {Four(1), Four(2)})));
     },
     "3 5 7 9, 3 5 7 9", nullptr},
    {"limits of its own",
     [](Before& b) {
       auto device = Device::Open(b.row.name);
       if (!device) return Text(device);
       Context loops = Open(b.row, *device, "loops", {.timeout = kShort});
       const auto sum = loops.Call("sum_to", {kForEver});
       return sum ? "OK" : absl::StrCat(static_cast<int>(sum.error().code()));
     },
     "4", nullptr},
    {"the parent's limits",
     [](Before& b) {
       const auto sum = b.loops.Call("sum_to", {kForEver});
       return sum ? "OK" : absl::StrCat(static_cast<int>(sum.error().code()));
     },
     "4", nullptr},
};

bool HasThreads(const DeviceRow& row) {
  return row.has_threads &&
         (row.suffix[0] != 0 || std::thread::hardware_concurrency() > 1);
}

class Fork : public ::testing::TestWithParam<DeviceRow> {
 protected:
  void SetUp() override {
    ChooseLavapipe();
    auto device = Device::Open(GetParam().name);
    if (!device && device.error().code() == EYRIE_UNAVAILABLE) {
      GTEST_SKIP() << device.error().message();
    }
    ASSERT_TRUE(device) << device.error().message();
    if (GetParam().has_threads && !HasThreads(GetParam())) {
      GTEST_SKIP() << "This machine has one processor: " << GetParam().name
                   << " starts no threads.";
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Devices, Fork, ::testing::ValuesIn(kDevices),
                         [](const auto& row) {
                           std::string name = row.param.name;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(Fork, EveryEntryPoint) {
  Before before(GetParam());
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    // Under TSan, a child process cannot start threads.
    if (kIsSanitized && absl::StrContains(row.name, "its own")) continue;
    const std::string text = InChild([&] { return row.run(before); });
    if (GetParam().has_threads && row.fails != nullptr) {
      EXPECT_TRUE(absl::StartsWith(text, row.fails)) << text;
      EXPECT_TRUE(absl::StrContains(text, "in this child process.")) << text;
    } else if (absl::StartsWith(row.want, "9: ")) {
      EXPECT_TRUE(absl::StartsWith(text, row.want)) << text;
    } else {
      EXPECT_EQ(text, row.want);
    }
  }
  // The parent's objects still work.
  EXPECT_EQ(Floats(before.add.Call("add", {Four(1), Four(2)})), "3 5 7 9");
  EXPECT_TRUE(before.open.Signal());
  EXPECT_EQ(Text(before.done.Wait()), "OK");
  EXPECT_EQ(Floats(before.waiting), "3 5 7 9");
}

// The child can destroy the parent's objects, or exit with them, without
// waiting for threads that do not exist.
TEST_P(Fork, Ends) {
  auto before = std::make_unique<Before>(GetParam());
  EXPECT_EQ(InChild([&] {
              before.reset();
              return "OK";
            }),
            "OK");
  EXPECT_EQ(InChild([&] {
              before->add.Call("add", {Four(1), Four(2)}).ok();
              before.reset();
              exit(7);
              return "";
            }),
            "The child exits with 7.");
}

// A recording belongs to the parent. The child may start its own at once.
TEST_P(Fork, Traces) {
  Before before(GetParam());
  auto trace = Trace::Start();
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(InChild([&] {
              trace->Stop();
              return Text(Trace::Start());
            }),
            "OK");
  EXPECT_EQ(Text(Trace::Start()).substr(0, 2), "9:");
}

}  // namespace
}  // namespace eyrie::tests
