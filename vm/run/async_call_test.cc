// Calls driven by an event loop: order, wake-ups, ends of all kinds.
#include "vm/run/async_call.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"
#include "vm/module/backtrace.h"
#include "vm/native/native_module.h"
#include "vm/object/buffer.h"
#include "vm/run/interpreter.h"

namespace eyrie::vm {
namespace {

using tests::ModuleBuilder;

// A queue of work for one thread, filled by any thread.
class Loop {
 public:
  Scheduler scheduler() {
    return [this](std::function<void()> work) {
      std::lock_guard<std::mutex> lock(mutex_);
      work_.push_back(std::move(work));
      added_.notify_one();
    };
  }
  // Runs one piece. Returns false if none arrives in time.
  bool RunOne(absl::Duration patience = absl::ZeroDuration()) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!added_.wait_for(lock, absl::ToChronoNanoseconds(patience),
                         [this] { return !work_.empty(); })) {
      return false;
    }
    const std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    work();
    return true;
  }
  void RunAll() {
    while (RunOne()) {
    }
  }
  size_t size() {
    std::lock_guard<std::mutex> lock(mutex_);
    return work_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<std::function<void()>> work_;
};

// An event that happens once, and its waiters.
struct Event {
  std::mutex mutex;
  bool passed = false;
  std::vector<Waker> waiting;

  void Pass() {
    std::vector<Waker> wake;
    {
      std::lock_guard<std::mutex> lock(mutex);
      passed = true;
      wake.swap(waiting);
    }
    for (const Waker& one : wake) one();
  }
};

struct AsyncHost : ModuleState {
  explicit AsyncHost(Event* event) : event(event) {}
  Event* event;
};
// Waits for the event; returns `number` plus one.
absl::StatusOr<int32_t> Wait(AsyncHost& host, int32_t number) {
  std::lock_guard<std::mutex> lock(host.event->mutex);
  if (host.event->passed) return number + 1;
  if (!host.CanSuspend()) return absl::UnavailableError("It would block.");
  host.event->waiting.push_back(host.TakeWaker());
  return Pending();
}
constexpr NativeFunction kAsyncHostRows[] = {Bind<Wait>("wait", "0i_i")};

class AsyncCallTest : public ::testing::Test {
 protected:
  AsyncCallTest() { context_ = NewContext(Limits()); }

  std::unique_ptr<Context> NewContext(const Limits& limits) {
    ModuleBuilder module;
    module.requirements = 0xF;
    module.AddImport("host.wait", "0i_i");
    module
        .AddFunction("count", "0ir_ir",
                     "entry: const.i32 1 i1 br ^loop [] "
                     "loop: cmp.lt.i32.s i2 i0 i3 "
                     "cond_br i3 ^more [] ^done [] "
                     "more: add.i32 i2 i1 i2 yield ^loop [] "
                     "done: return [i2 r0!]")
        .requirements = 0xF;
    module
        .AddFunction("wait", "0ir_ir",
                     "entry: call.yieldable #0 [i0] ^next [i1] "
                     "next: return [i1 r0!]")
        .requirements = 0xF;
    module.AddFunction("blocks", "0ir_ir",
                       "entry: call #0 [i0] [i1] return [i1 r0!]");
    module
        .AddFunction("fails", "0ir_ir",
                     "entry: yield ^next [] next: fail i0 \"late\"")
        .requirements = 0xF;
    // Waits in a nested call.
    module
        .AddFunction("outer", "0ir_ir",
                     "entry: call.yieldable 1 [i0 r0!] ^next [i1 r1] "
                     "next: return [i1 r1!]")
        .requirements = 0xF;
    auto verified = LoadModule(module.Build(), module.name);
    EXPECT_TRUE(verified.ok()) << verified.status();
    auto host = *NativeModule::Create(
        "host", 0, kAsyncHostRows,
        [this]() -> absl::StatusOr<std::unique_ptr<ModuleState>> {
          return std::make_unique<AsyncHost>(&event_);
        });
    ContextOptions options;
    options.limits = limits;
    return *Context::Create(
        {host,
         *BytecodeModule::Create(InterpreterHandlers(), *std::move(verified))},
        options);
  }

  // Begins a call. Its end is logged as "name: 5", or with its error.
  std::unique_ptr<AsyncCall> Begin(const char* name, int32_t number) {
    const Value args[] = {Value(number), Value(Ref<RefObject>(buffer_))};
    return *AsyncCall::Begin(
        *context_, *context_->Lookup(name), args, loop_.scheduler(),
        [this, name](const absl::StatusOr<std::vector<Value>>& results) {
          absl::StrAppend(&log_, log_.empty() ? "" : " ", name, ": ");
          if (results.ok()) {
            absl::StrAppend(&log_, (*results)[0].i32());
          } else {
            absl::StrAppend(&log_,
                            absl::StatusCodeToString(results.status().code()),
                            " ", WithoutBacktrace(results.status().message()));
          }
        });
  }

  std::unique_ptr<Context> context_;
  Loop loop_;
  Event event_;
  std::string log_;
  Ref<Buffer> buffer_ = *Buffer::CopyText("held");
};

TEST_F(AsyncCallTest, RunsInScheduledWorkOnly) {
  auto call = Begin("count", 2);
  EXPECT_EQ(log_, "");
  int pieces = 0;
  while (loop_.RunOne()) ++pieces;
  EXPECT_EQ(log_, "count: 2");
  EXPECT_EQ(pieces, 3);
  call = nullptr;
  EXPECT_TRUE(buffer_->IsUnique());
}

TEST_F(AsyncCallTest, CallsTakeTurns) {
  auto three = Begin("count", 3), one = Begin("count", 1),
       fails = Begin("fails", 10), none = Begin("count", 0);
  loop_.RunAll();
  EXPECT_EQ(log_, "count: 0 count: 1 fails: ABORTED late count: 3");
  // Only the call fails; the context remains usable.
  auto again = Begin("count", 1);
  loop_.RunAll();
  EXPECT_EQ(log_, "count: 0 count: 1 fails: ABORTED late count: 3 count: 1");
}

TEST_F(AsyncCallTest, WaitsForAWaker) {
  auto call = Begin("wait", 5), outer = Begin("outer", 7);
  loop_.RunAll();
  EXPECT_EQ(log_, "");
  EXPECT_EQ(loop_.size(), 0u);  // suspended: no work is scheduled
  auto meanwhile = Begin("count", 1);
  loop_.RunAll();
  EXPECT_EQ(log_, "count: 1");
  event_.Pass();
  EXPECT_EQ(loop_.size(), 2u);
  loop_.RunAll();
  EXPECT_EQ(log_, "count: 1 wait: 6 outer: 8");
  // A call that would block its thread fails.
  event_.passed = false;
  auto blocks = Begin("blocks", 0);
  loop_.RunAll();
  EXPECT_EQ(log_,
            "count: 1 wait: 6 outer: 8 blocks: UNAVAILABLE It would block.");
}

TEST_F(AsyncCallTest, IsWokenByAnotherThread) {
  auto call = Begin("wait", 5);
  std::thread waker([this] {
    absl::SleepFor(absl::Milliseconds(5));
    event_.Pass();
  });
  while (log_.empty()) {
    ASSERT_TRUE(loop_.RunOne(absl::Seconds(30)));
  }
  waker.join();
  EXPECT_EQ(log_, "wait: 6");
}

TEST_F(AsyncCallTest, DroppedCallsLeaveNothing) {
  auto begun = Begin("count", 5), waits = Begin("wait", 5),
       outer = Begin("outer", 5), never = Begin("count", 5);
  loop_.RunOne(), loop_.RunOne(), loop_.RunOne();
  EXPECT_FALSE(buffer_->IsUnique());
  for (auto* call : {&begun, &waits, &outer, &never}) *call = nullptr;
  EXPECT_TRUE(buffer_->IsUnique());
  event_.Pass();  // calls the wakers of destroyed calls
  loop_.RunAll();
  EXPECT_EQ(log_, "");
  auto next = Begin("count", 1);
  loop_.RunAll();
  EXPECT_EQ(log_, "count: 1");
}

TEST_F(AsyncCallTest, MayEndItselfFromItsCallback) {
  std::unique_ptr<AsyncCall> call;
  const Value args[] = {Value(int32_t{1}), Value(Ref<RefObject>())};
  bool done = false;
  call = *AsyncCall::Begin(*context_, *context_->Lookup("count"), args,
                           loop_.scheduler(), [&](const auto& results) {
                             EXPECT_TRUE(results.ok());
                             call = nullptr;
                             done = true;
                           });
  loop_.RunAll();
  EXPECT_TRUE(done);
}

TEST_F(AsyncCallTest, TimeEndsASuspendedCall) {
  Limits limits;
  limits.timeout = absl::Milliseconds(30);
  context_ = NewContext(limits);
  auto call = Begin("wait", 5);
  while (log_.empty()) {
    ASSERT_TRUE(loop_.RunOne(absl::Seconds(30)));
  }
  EXPECT_EQ(log_,
            "wait: DEADLINE_EXCEEDED The call exceeds its time limit (30ms).");
  EXPECT_TRUE(buffer_->IsUnique());
  call = nullptr;
}

TEST_F(AsyncCallTest, FuelIsCountedOverAllPieces) {
  Limits limits;
  limits.fuel = 20;
  context_ = NewContext(limits);
  auto call = Begin("count", 1000);
  loop_.RunAll();
  EXPECT_EQ(log_,
            "count: RESOURCE_EXHAUSTED The call exceeds its fuel limit (20 "
            "backward branches and calls).");
  call = Begin("count", 1);
  loop_.RunAll();
  EXPECT_NE(log_.find(" count: FAILED_PRECONDITION The context can"),
            std::string::npos);
  call = nullptr;
}

TEST_F(AsyncCallTest, Cancels) {
  auto call = Begin("wait", 5);
  loop_.RunAll();
  std::thread canceller([&call] { call->Cancel(); });
  while (log_.empty()) {
    ASSERT_TRUE(loop_.RunOne(absl::Seconds(30)));
  }
  canceller.join();
  EXPECT_EQ(log_, "wait: CANCELLED The call is cancelled.");
}

TEST_F(AsyncCallTest, ArgumentsAreChecked) {
  const auto other = NewContext(Limits());
  const auto begin = [&](Context& context, std::vector<Value> args) {
    return std::string(AsyncCall::Begin(context, *context_->Lookup("count"),
                                        args, loop_.scheduler(),
                                        [](const auto&) {})
                           .status()
                           .message());
  };
  EXPECT_EQ(begin(*context_, {}),
            "Function test.count (0ir_ir) has 2 arguments; 0 were given.");
  EXPECT_EQ(begin(*other, {Value(int32_t{1}), Value(Ref<RefObject>())}),
            "Function test.count belongs to another context.");
  EXPECT_EQ(loop_.size(), 0u);
}

}  // namespace
}  // namespace eyrie::vm
