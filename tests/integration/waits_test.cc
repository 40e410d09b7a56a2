// Waits for fences inside calls. They end at the call's timeout or when the
// call is cancelled, and they suspend calls that an event loop drives.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "abi/call/session.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/deadline.h"
#include "gtest/gtest.h"
#include "hal/fence.h"
#include "tests/support/module_builder.h"
#include "vm/module/backtrace.h"
#include "vm/run/async_call.h"

namespace eyrie::tests {
namespace {

// Functions that wait for a fence, or that keep a fence and never signal it.
abi::Program WaitingProgram() {
  ModuleBuilder module;
  module.name = "waits";
  module.requirements = 0xF;
  module.AddImport("hal.fence.await", "0iICrD_i");
  module.AddFunction("wait", "0r_i",
                     "entry: const.i32 -1 i0 const.i64.zero i2 "
                     "call.variadic #0 [0 0 1] [i0 i2 r0] [i4] return [i4]");
  module
      .AddFunction("suspend", "0r_i",
                   "entry: const.i32 -1 i0 const.i64.zero i2 "
                   "call.variadic.yieldable #0 [0 0 1] [i0 i2 r0] ^next [i4] "
                   "next: return [i4]")
      .requirements = 0xF;
  // Asynchronous: takes a fence to wait for, and one to signal.
  module.AddFunction("never", "0rr_v",
                     "entry: global.store.ref 0 2 r1 return []");
  module.functions.back().attributes = {{"iree.abi.model", "coarse-fences"}};
  module.types = {"i32", "i64", "!hal.fence"};
  module.dependencies = {{"hal", 5, false}};
  const auto program = abi::LoadProgram(module.Build(), "waits");
  EXPECT_TRUE(program.ok()) << program.status();
  return *program;
}

class WaitsTest : public ::testing::Test {
 protected:
  void Open(absl::Duration timeout = absl::InfiniteDuration()) {
    abi::SessionOptions options;
    options.limits.timeout = timeout;
    auto session = abi::Session::Create({WaitingProgram()}, devices_, options);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }

  // Calls a function. Passes the fence unless the function takes no arguments.
  std::string Call(const char* name) {
    auto callable = session_->Lookup(name);
    if (!callable.ok()) return callable.status().ToString();
    std::vector<vm::Value> args;
    if (!callable->argument_types().empty()) args = Args();
    const auto results = callable->Call(args);
    if (results.ok()) return absl::StrCat((*results)[0].i32());
    return absl::StrCat(absl::StatusCodeToString(results.status().code()), ": ",
                        vm::WithoutBacktrace(results.status().message()));
  }
  std::vector<vm::Value> Args() const {
    return {vm::Value(Ref<RefObject>(fence_))};
  }

  const std::vector<Ref<hal::Device>> devices_ = *abi::OpenDevices({}, {});
  const Ref<hal::Semaphore> semaphore_ = *devices_[0]->CreateSemaphore(0);
  const Ref<hal::Fence> fence_ = hal::Fence::ForPoint(semaphore_, 1);
  std::unique_ptr<abi::Session> session_;
};

// Returns where the call was stopped, if no instruction waited.
absl::string_view WhileWaiting(absl::string_view function) {
  return function == "never" ? " (while waiting for the device)" : "";
}

TEST_F(WaitsTest, EndWithTheTime) {
  for (const char* function : {"wait", "suspend", "never"}) {
    SCOPED_TRACE(function);
    Open(absl::Milliseconds(50));
    const Deadline begin = Deadline::Now();
    const std::string late = Call(function);
    EXPECT_EQ(late,
              absl::StrCat(
                  "DEADLINE_EXCEEDED: The call exceeds its time limit (50ms).",
                  WhileWaiting(function)));
    EXPECT_GE(Deadline::Now() - begin, absl::Milliseconds(50));
    EXPECT_EQ(Call(function).substr(0, 20), "FAILED_PRECONDITION:");
  }
}

TEST_F(WaitsTest, EndWhenCancelled) {
  for (const char* function : {"wait", "suspend", "never"}) {
    SCOPED_TRACE(function);
    Open();
    std::thread canceller([this] {
      absl::SleepFor(absl::Milliseconds(20));
      session_->Cancel();
    });
    EXPECT_EQ(Call(function), absl::StrCat("CANCELLED: The call is cancelled.",
                                           WhileWaiting(function)));
    canceller.join();
  }
}

TEST_F(WaitsTest, EndWithTheSignal) {
  Open(absl::Minutes(5));
  std::thread signaller([this] {
    absl::SleepFor(absl::Milliseconds(20));
    EXPECT_TRUE(fence_->Signal().ok());
  });
  EXPECT_EQ(Call("wait"), "0");
  signaller.join();
  EXPECT_EQ(Call("suspend"), "0");
}

TEST_F(WaitsTest, SuspendCallsOfAnEventLoop) {
  Open();
  std::mutex mutex;
  std::condition_variable added;
  std::deque<std::function<void()>> work;
  const vm::Scheduler scheduler = [&](std::function<void()> piece) {
    std::lock_guard<std::mutex> lock(mutex);
    work.push_back(std::move(piece));
    added.notify_one();
  };
  constexpr int kCalls = 3;
  int done = 0;
  std::vector<std::unique_ptr<vm::AsyncCall>> calls;
  for (int i = 0; i < kCalls; ++i) {
    calls.push_back(*vm::AsyncCall::Begin(
        session_->context(), *session_->context().Lookup("suspend"), Args(),
        scheduler, [&done](const auto& results) {
          EXPECT_TRUE(results.ok()) << results.status();
          ++done;
        }));
  }
  std::thread signaller([this] {
    absl::SleepFor(absl::Milliseconds(20));
    EXPECT_TRUE(fence_->Signal().ok());
  });
  int pieces = 0;
  while (done < kCalls) {
    std::unique_lock<std::mutex> lock(mutex);
    added.wait(lock, [&] { return !work.empty(); });
    const auto piece = std::move(work.front());
    work.pop_front();
    lock.unlock();
    piece();
    ++pieces;
  }
  signaller.join();
  EXPECT_EQ(pieces, 2 * kCalls);  // no unnecessary requests
}

}  // namespace
}  // namespace eyrie::tests
