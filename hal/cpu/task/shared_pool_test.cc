// Shares of pools: who shares, what one share's end waits for, and that callers
// who keep all threads busy get no help.
#include "hal/cpu/task/shared_pool.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/ref.h"
#include "gtest/gtest.h"
#include "hal/command_buffer.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/task/device.h"
#include "hal/cpu/task/options.h"
#include "hal/cpu/task/pool.h"
#include "hal/cpu/task/topology.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "hal/thread_query.h"
#include "tests/support/fake_executable.h"
#include "tests/support/in_child.h"

// ThreadSanitizer would kill forked children that start threads.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }

namespace eyrie::hal::cpu {
namespace {

PoolOptions Threads(int threads) {
  PoolOptions options;
  options.threads = threads;
  options.spin = absl::Microseconds(20);
  return options;
}

// Calls a function on one thread.
class OneCall final : public Job {
 public:
  OneCall(Ref<JobGroup> group, std::function<void()> call)
      : Job(std::move(group)), call_(std::move(call)) {}
  bool finished() const { return finished_.load(); }

 protected:
  Stage Advance() override {
    call_();
    return {.over = true, .helpers = 0};
  }
  bool RunChunks(absl::FunctionRef<bool()>) override { return true; }
  void Finish() override { finished_.store(true); }

 private:
  const std::function<void()> call_;
  std::atomic<bool> finished_{false};
};

// A job that runs until the gate opens.
struct Gate {
  std::atomic<bool> begun{false};
  std::atomic<bool> open{false};

  Ref<OneCall> Job(const PoolShare& share) {
    return MakeRef<OneCall>(share.jobs(), [this] {
      begun.store(true);
      while (!open.load()) std::this_thread::yield();
    });
  }
  void AwaitBegin() const {
    while (!begun.load()) std::this_thread::yield();
  }
};

TEST(SharedPool, EqualOptionsShare) {
  PoolShare one(Threads(2));
  EXPECT_EQ(one.sharers(), 1);
  PoolShare two(Threads(2));
  EXPECT_EQ(one.pool(), two.pool());
  EXPECT_NE(one.jobs(), two.jobs());
  EXPECT_EQ(one.sharers(), 2);
  one.Leave();
  EXPECT_EQ(two.sharers(), 1);
  two.Leave();
  EXPECT_EQ(two.sharers(), 0);
}

TEST(SharedPool, OtherOptionsDoNot) {
  PoolOptions bound = Threads(2);
  bound.cpus = {0, 0};
  PoolOptions patient = Threads(2);
  patient.spin = absl::Microseconds(21);
  PoolOptions deep = Threads(2);
  deep.stack_bytes = size_t{1} << 20;
  PoolShare two(Threads(2));
  for (const PoolOptions& options : {Threads(3), bound, patient, deep}) {
    PoolShare other(options);
    EXPECT_NE(two.pool(), other.pool());
    EXPECT_EQ(other.sharers(), 1);
    other.Leave();
  }
  EXPECT_EQ(two.sharers(), 1);
  two.Leave();
}

TEST(SharedPool, LeavingWaitsOnlyForItsOwnJobs) {
  PoolShare one(Threads(3));
  PoolShare two(Threads(3));
  Gate others;
  const Ref<OneCall> other = others.Job(two);
  ASSERT_TRUE(two.pool()->Start(other));
  others.AwaitBegin();
  Gate gate;
  const Ref<OneCall> own = gate.Job(one);
  ASSERT_TRUE(one.pool()->Start(own));
  gate.AwaitBegin();
  std::thread opens([&] { gate.open.store(true); });
  one.Leave();
  EXPECT_TRUE(own->done());
  EXPECT_FALSE(other->done());
  // Its later jobs are refused; the other's are not.
  EXPECT_FALSE(one.pool()->Start(MakeRef<OneCall>(one.jobs(), [] {})));
  const Ref<OneCall> later = MakeRef<OneCall>(two.jobs(), [] {});
  EXPECT_TRUE(two.pool()->Start(later));
  others.open.store(true);
  two.Leave();
  EXPECT_TRUE(other->finished());
  EXPECT_TRUE(later->finished());
  opens.join();
}

// One of the busy threads waits until the share has left.
TEST(SharedPool, LeavesWhileAllThreadsAreBusy) {
  PoolShare goes(Threads(2));
  PoolShare stays(Threads(2));
  Gate own;
  ASSERT_TRUE(stays.pool()->Start(own.Job(stays)));
  own.AwaitBegin();
  Gate callers;
  std::thread caller([&] { stays.pool()->Run(callers.Job(stays)); });
  callers.AwaitBegin();
  const Ref<OneCall> job = MakeRef<OneCall>(goes.jobs(), [] {});
  ASSERT_TRUE(goes.pool()->Start(job));
  goes.Leave();
  EXPECT_TRUE(job->finished());
  own.open.store(true);
  callers.open.store(true);
  caller.join();
  stays.Leave();
}

TEST(SharedPool, AGuestTakesThePlaceOfACaller) {
  PoolShare share(Threads(2));
  Gate own;
  ASSERT_TRUE(share.pool()->Start(own.Job(share)));
  own.AwaitBegin();
  Gate callers;
  std::thread caller([&] { share.pool()->Run(callers.Job(share)); });
  callers.AwaitBegin();
  const Ref<OneCall> job = MakeRef<OneCall>(share.jobs(), [] {});
  ASSERT_TRUE(share.pool()->Start(job));
  std::thread opens([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    callers.open.store(true);
  });
  share.pool()->WaitUntil(Deadline::After(absl::Seconds(10)),
                          [&] { return job->finished(); });
  EXPECT_TRUE(job->finished());
  opens.join();
  caller.join();
  own.open.store(true);
  share.Leave();
}

TEST(SharedPool, AChildGetsItsOwnPool) {
  PoolShare one(Threads(2));
  EXPECT_TRUE(one.pool()->Start(MakeRef<OneCall>(one.jobs(), [] {})));
  EXPECT_EQ(InChild([&] {
              PoolShare own(Threads(2));
              std::string text = own.pool() == one.pool() ? "old" : "new";
              std::atomic<bool> ran{false};
              const auto run = [&] { ran.store(true); };
              const bool started =
                  own.pool()->Start(MakeRef<OneCall>(own.jobs(), run));
              absl::StrAppend(&text, " ", own.sharers(), started ? " +" : " -");
              own.Leave();
              return absl::StrCat(text, ran.load() ? " ran" : "");
            }),
            "new 1 + ran");
  EXPECT_EQ(one.sharers(), 1);
  one.Leave();
}

// A device without threads works in a child, and is closed there.
TEST(SharedPool, AShareOfOneThreadLeavesInAChild) {
  PoolShare one(Threads(1));
  for (const bool opens : {false, true}) {
    EXPECT_EQ(InChild([&] {
                if (opens) PoolShare(Threads(1)).Leave();
                one.Leave();
                return absl::StrCat("left, ", one.sharers());
              }),
              "left, 0");
  }
  EXPECT_EQ(one.sharers(), 1);
  one.Leave();
}

// Shares come and go on several threads, while each runs jobs.
TEST(SharedPool, ComesAndGoes) {
  std::vector<std::thread> users;
  std::atomic<int> runs{0};
  for (int user = 0; user < 4; ++user) {
    users.emplace_back([&] {
      for (int round = 0; round < 40; ++round) {
        PoolShare share(Threads(2 + round % 2));
        const auto count = [&] { runs.fetch_add(1); };
        const Ref<OneCall> job = MakeRef<OneCall>(share.jobs(), count);
        if (!share.pool()->Start(job)) share.pool()->Run(job);
        share.Leave();
        EXPECT_TRUE(job->done());
      }
    });
  }
  for (std::thread& user : users) user.join();
  EXPECT_EQ(runs.load(), 160);
}

// Devices.

std::atomic<int> kernels_inside{0};
std::atomic<int> kernels_at_once{0};

int Slow(const Environment*, const DispatchState*, const WorkgroupState*) {
  const int inside = kernels_inside.fetch_add(1) + 1;
  int most = kernels_at_once.load();
  while (most < inside &&
         !kernels_at_once.compare_exchange_weak(most, inside)) {
  }
  std::this_thread::sleep_for(std::chrono::microseconds(100));
  kernels_inside.fetch_sub(1);
  return 0;
}

Ref<hal::Device> OpenDevice(int threads) {
  Topology topology;
  topology.threads = threads;
  return CreateTaskDevice(DriverOptions(), topology,
                          SharingPolicy::Everything());
}

int64_t Sharers(const hal::Device& device) {
  return device.Query(kThreadsQuery, kSharersKey).value_or(-1);
}

TEST(SharedPool, DevicesShareAndSaySo) {
  const Ref<hal::Device> one = OpenDevice(3);
  EXPECT_EQ(one->Query(kThreadsQuery, ""), 3);
  EXPECT_EQ(Sharers(*one), 1);
  {
    const Ref<hal::Device> two = OpenDevice(3);
    const Ref<hal::Device> other = OpenDevice(4);
    EXPECT_EQ(Sharers(*one), 2);
    EXPECT_EQ(Sharers(*two), 2);
    EXPECT_EQ(Sharers(*other), 1);
  }
  EXPECT_EQ(Sharers(*one), 1);
}

// Three callers with a device each keep the three threads busy. So the pool's
// own threads are not woken to compete with them, apart from those who came
// while fewer callers were busy.
TEST(SharedPool, BusyCallersGetNoHelp) {
  constexpr int kThreads = 3;
  constexpr int kRounds = 20;
  const Ref<hal::Executable> executable =
      CreateFakeExecutable({{"slow", 0, 0, Slow}});
  std::vector<Ref<hal::Device>> devices;
  for (int i = 0; i < kThreads; ++i) devices.push_back(OpenDevice(kThreads));
  kernels_at_once.store(0);
  std::vector<std::thread> callers;
  for (const Ref<hal::Device>& device : devices) {
    callers.emplace_back([&] {
      const Ref<CommandBuffer> commands =
          *device->CreateCommandBuffer(0, kAnyQueue, 0);
      EXPECT_TRUE(commands->Dispatch(executable, 0, {8, 1, 1}, {}, {}).ok());
      EXPECT_TRUE(commands->Finalize().ok());
      for (int round = 0; round < kRounds; ++round) {
        EXPECT_TRUE(device->QueueExecute({}, commands, {}).ok());
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  // The callers, and the threads of one pool.
  EXPECT_LE(kernels_at_once.load(), kThreads + kThreads - 1);
}

// A device that is closed while another one is in the middle of its work.
TEST(SharedPool, ClosesWhileAnotherWorks) {
  const Ref<hal::Executable> executable =
      CreateFakeExecutable({{"slow", 0, 0, Slow}});
  const Ref<hal::Device> stays = OpenDevice(2);
  std::atomic<bool> over{false};
  std::thread worker([&] {
    const Ref<CommandBuffer> commands =
        *stays->CreateCommandBuffer(0, kAnyQueue, 0);
    EXPECT_TRUE(commands->Dispatch(executable, 0, {4, 1, 1}, {}, {}).ok());
    EXPECT_TRUE(commands->Finalize().ok());
    while (!over.load()) {
      EXPECT_TRUE(stays->QueueExecute({}, commands, {}).ok());
    }
  });
  for (int round = 0; round < 20; ++round) {
    const Ref<hal::Device> goes = OpenDevice(2);
    const Ref<CommandBuffer> commands =
        *goes->CreateCommandBuffer(0, kAnyQueue, 0);
    EXPECT_TRUE(commands->Dispatch(executable, 0, {4, 1, 1}, {}, {}).ok());
    EXPECT_TRUE(commands->Finalize().ok());
    EXPECT_TRUE(goes->QueueExecute({}, commands, {}).ok());
  }
  over.store(true);
  worker.join();
}

}  // namespace
}  // namespace eyrie::hal::cpu
