// Features of the device with threads only: sharing, background runs, several
// command buffers at once, and destruction while it is busy.
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "base/deadline.h"
#include "gtest/gtest.h"
#include "hal/cpu/task/device.h"
#include "hal/file.h"
#include "tests/support/cpu_device.h"
#include "tests/support/fake_executable.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::cpu {
namespace {

// State that the kernels share with the current test.
struct Board {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::atomic<int> arrived{0};
  std::atomic<bool> open{false};
  std::atomic<int> runs{0};
};
Board* board = nullptr;

// Records its thread, and takes a millisecond.
int SlowKernel(const Environment*, const DispatchState*,
               const WorkgroupState*) {
  absl::SleepFor(absl::Milliseconds(1));
  board->runs.fetch_add(1);
  std::lock_guard<std::mutex> lock(board->mutex);
  board->threads.insert(std::this_thread::get_id());
  return 0;
}

// Returns when two calls of it have begun.
int MeetKernel(const Environment*, const DispatchState*,
               const WorkgroupState*) {
  board->arrived.fetch_add(1);
  while (board->arrived.load() < 2) std::this_thread::yield();
  return 0;
}

// Returns after the test sets `open`.
int GateKernel(const Environment*, const DispatchState*,
               const WorkgroupState*) {
  board->arrived.fetch_add(1);
  while (!board->open.load()) std::this_thread::yield();
  return 0;
}

// Records its thread, and takes 5 microseconds.
int BriefKernel(const Environment*, const DispatchState*,
                const WorkgroupState*) {
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::microseconds(5);
  while (std::chrono::steady_clock::now() < end) {
  }
  std::lock_guard<std::mutex> lock(board->mutex);
  board->threads.insert(std::this_thread::get_id());
  return 0;
}

int QuickKernel(const Environment*, const DispatchState*,
                const WorkgroupState*) {
  board->runs.fetch_add(1);
  return 0;
}

int FailKernel(const Environment*, const DispatchState*,
               const WorkgroupState* workgroup) {
  board->runs.fetch_add(1);
  return workgroup->workgroup_id_x == 7 ? 9 : 0;
}

// Adds to its word of binding 1 the number of words of binding 0 that differ
// from the first word.
int CompareKernel(const Environment*, const DispatchState* dispatch,
                  const WorkgroupState* workgroup) {
  const auto* words = static_cast<uint32_t*>(dispatch->binding_pointers[0]);
  auto* found = static_cast<uint32_t*>(dispatch->binding_pointers[1]);
  for (uint32_t i = 0; i < dispatch->workgroup_count_x; ++i) {
    found[workgroup->workgroup_id_x] += words[i] != words[0];
  }
  return 0;
}

enum Export : uint32_t {
  kSlow,
  kMeet,
  kGate,
  kQuick,
  kFail,
  kDouble,
  kCompare,
  kBrief
};

class TaskDeviceTest : public ::testing::Test {
 protected:
  TaskDeviceTest() {
    board = &board_;
    Open(2);
  }
  void Open(int threads) {
    device_ = NewDevice(DeviceKind{"", "local-task", threads, true});
  }

  Ref<CommandBuffer> Commands(Export ordinal, uint32_t workgroups) {
    Ref<CommandBuffer> commands =
        *device_->CreateCommandBuffer(0, kAnyQueue, 0);
    EXPECT_TRUE(
        commands->Dispatch(executable_, ordinal, {workgroups, 1, 1}, {}, {})
            .ok());
    EXPECT_TRUE(commands->Finalize().ok());
    return commands;
  }
  // Queues one dispatch, which signals the returned semaphore to 1.
  Ref<Semaphore> Queue(Export ordinal, uint32_t workgroups) {
    Ref<Semaphore> done = *device_->CreateSemaphore(0);
    const Ref<Fence> signal = Fence::ForPoint(done, 1);
    EXPECT_TRUE(device_
                    ->QueueExecute({nullptr, signal.get()},
                                   Commands(ordinal, workgroups), {})
                    .ok());
    return done;
  }

  Board board_;
  const Ref<hal::Executable> executable_ =
      CreateFakeExecutable({{"slow", 0, 0, SlowKernel},
                            {"meet", 0, 0, MeetKernel},
                            {"gate", 0, 0, GateKernel},
                            {"quick", 0, 0, QuickKernel},
                            {"fail", 0, 0, FailKernel},
                            {"double", 0, 1, DoubleKernel},
                            {"compare", 0, 2, CompareKernel},
                            {"brief", 0, 0, BriefKernel}});
  Ref<hal::Device> device_;
};

TEST_F(TaskDeviceTest, SharesADispatch) {
  for (const int threads : {2, 7}) {
    Open(threads);
    board_.threads.clear();
    board_.runs.store(0);
    EXPECT_TRUE(device_->QueueExecute({}, Commands(kSlow, 50), {}).ok());
    EXPECT_EQ(board_.runs.load(), 50);
    EXPECT_GE(board_.threads.size(), 2u);
    EXPECT_LE(board_.threads.size(), static_cast<size_t>(threads));
  }
}

// Uses the default policy and measured costs.
TEST_F(TaskDeviceTest, SharesWhatTakesLong) {
  device_ = NewDevice(DeviceKind{"", "local-task", 2});
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(StateAt(*Queue(kSlow, 50), 1), "1");
  }
  EXPECT_EQ(board_.runs.load(), 150);
  EXPECT_GE(board_.threads.size(), 2u);
}

TEST_F(TaskDeviceTest, KeepsWhatIsSmallOnItsThread) {
  device_ = NewDevice(DeviceKind{"", "local-task", 2});
  for (int round = 0; round < 200; ++round) {
    EXPECT_EQ(State(*Queue(kQuick, 4)), "1");
  }
  EXPECT_EQ(board_.runs.load(), 800);
}

// One call is not worth waking a thread, but many are. sharing_test.cc tests
// the calls that wake no thread; here, a pause of the machine looks like long
// work.
TEST_F(TaskDeviceTest, SharesCallsThatFollowClosely) {
  DriverOptions options;
  options.Of<TaskOptions>().spin_us = 4000;
  Topology topology;
  topology.threads = 2;
  device_ = CreateTaskDevice(options, topology, SharingPolicy());
  const Ref<CommandBuffer> commands = Commands(kBrief, 4);
  const Deadline end = Deadline::After(absl::Seconds(40));
  while (!end.HasPassed() && board_.threads.size() < 2) {
    EXPECT_TRUE(device_->QueueExecute({}, commands, {}).ok());
  }
  EXPECT_EQ(board_.threads.size(), 2u);
}

// The thread that queues work continues. The work may even wait for it.
TEST_F(TaskDeviceTest, HandsOver) {
  const Ref<Semaphore> done = Queue(kGate, 1);
  EXPECT_EQ(State(*done), "0");
  board_.open.store(true);
  EXPECT_EQ(StateAt(*done, 1), "1");
}

// Two command buffers run at once: one on the pool's thread, and one on the
// waiting thread.
TEST_F(TaskDeviceTest, RunsTwoAtOnce) {
  const Ref<Semaphore> one = Queue(kMeet, 1);
  const Ref<Semaphore> two = Queue(kMeet, 1);
  EXPECT_EQ(StateAt(*one, 1), "1");
  EXPECT_EQ(StateAt(*two, 1), "1");
}

// A command buffer that waits at its barrier does not delay others.
TEST_F(TaskDeviceTest, BarriersStopNoOthers) {
  Open(3);
  const Ref<CommandBuffer> slow =
      *device_->CreateCommandBuffer(0, kAnyQueue, 0);
  EXPECT_TRUE(slow->Dispatch(executable_, kGate, {1, 1, 1}, {}, {}).ok());
  EXPECT_TRUE(slow->ExecutionBarrier(0, 0).ok());
  EXPECT_TRUE(slow->Dispatch(executable_, kQuick, {3, 1, 1}, {}, {}).ok());
  EXPECT_TRUE(slow->Finalize().ok());
  const Ref<Semaphore> done = *device_->CreateSemaphore(0);
  const Ref<Fence> signal = Fence::ForPoint(done, 1);
  EXPECT_TRUE(device_->QueueExecute({nullptr, signal.get()}, slow, {}).ok());
  while (board_.arrived.load() == 0) std::this_thread::yield();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(StateAt(*Queue(kQuick, 5), 1), "1");
  EXPECT_EQ(board_.runs.load(), 50);
  EXPECT_EQ(State(*done), "0");
  board_.open.store(true);
  EXPECT_EQ(StateAt(*done, 1), "1");
  EXPECT_EQ(board_.runs.load(), 53);
}

// Fills and dispatches between barriers run in order, even if there are more of
// them than a stage holds.
TEST_F(TaskDeviceTest, KeepsTheOrderOfBarriers) {
  constexpr uint32_t kWords = 40;
  constexpr uint64_t kBytes = kWords * sizeof(uint32_t);
  Open(7);
  for (int round = 0; round < 20; ++round) {
    const Ref<hal::Buffer> words = NewBuffer(*device_, kBytes);
    const Ref<hal::Buffer> found = NewBuffer(*device_, kBytes);
    const Ref<CommandBuffer> commands =
        *device_->CreateCommandBuffer(0, kAnyQueue, 0);
    for (uint64_t i = 0; i < kWords; ++i) {  // no barrier between these
      EXPECT_TRUE(commands->Fill({words, 0, i * 4, 4}, BytesOf(3u)).ok());
    }
    const BufferRef bindings[] = {Whole(words), Whole(found)};
    for (int step = 0; step < 5; ++step) {
      EXPECT_TRUE(commands->ExecutionBarrier(0, 0).ok());
      EXPECT_TRUE(commands
                      ->Dispatch(executable_, kDouble, {kWords, 1, 1}, {},
                                 std::span(bindings).first(1))
                      .ok());
      EXPECT_TRUE(commands->ExecutionBarrier(0, 0).ok());
      EXPECT_TRUE(commands->ExecutionBarrier(0, 0).ok());
      EXPECT_TRUE(
          commands
              ->Dispatch(executable_, kCompare, {kWords, 1, 1}, {}, bindings)
              .ok());
    }
    EXPECT_TRUE(commands->Finalize().ok());
    EXPECT_EQ(StatusText(Execute(*device_, commands, {})), "OK");
    for (uint32_t i = 0; i < kWords; ++i) {
      uint32_t word = 0;
      uint32_t different = 0;
      std::memcpy(&word, words->host_data() + size_t{4} * i, 4);
      std::memcpy(&different, found->host_data() + size_t{4} * i, 4);
      ASSERT_EQ(word, 96u);
      ASSERT_EQ(different, 0u);
    }
  }
}

TEST_F(TaskDeviceTest, SplitsTransfers) {
  constexpr uint64_t kBytes = kTransferChunk * 5 + 12;
  const Ref<hal::Buffer> source = NewBuffer(*device_, kBytes);
  const Ref<hal::Buffer> target = NewBuffer(*device_, kBytes);
  const uint64_t pattern = 0x8877665544332211;
  EXPECT_TRUE(
      device_->QueueFill({}, {source, 0, 0, kBytes - 4}, BytesOf(pattern))
          .ok());
  EXPECT_TRUE(device_->QueueCopy({}, Whole(source), Whole(target)).ok());
  for (uint64_t i = 0; i + 8 < kBytes; i += 8) {
    ASSERT_EQ(std::memcmp(target->host_data() + i, &pattern, 8), 0) << i;
  }
  // The ranges of a copy between slots may overlap. They are moved in one
  // piece.
  const Ref<CommandBuffer> commands =
      *device_->CreateCommandBuffer(0, kAnyQueue, 2);
  EXPECT_TRUE(
      commands
          ->Copy({nullptr, 0, 0, kWholeBuffer}, {nullptr, 1, 0, kWholeBuffer})
          .ok());
  EXPECT_TRUE(commands->Finalize().ok());
  for (uint64_t i = 0; i < kBytes; ++i) {
    source->host_data()[i] = static_cast<uint8_t>(i % 251);
  }
  const BufferBinding table[] = {{source.get(), 0, kBytes - 4},
                                 {source.get(), 4, kBytes - 4}};
  EXPECT_TRUE(device_->QueueExecute({}, commands, table).ok());
  for (uint64_t i = 4; i < kBytes; ++i) {
    ASSERT_EQ(source->host_data()[i], (i - 4) % 251) << i;
  }
}

// The device reads and writes files in the background, too.
TEST_F(TaskDeviceTest, HandsFilesOver) {
  std::vector<uint32_t> contents(1000, 7);
  const Ref<File> file = MakeRef<File>(
      std::span<uint8_t>(reinterpret_cast<uint8_t*>(contents.data()), 4000),
      memory_access::kRead | memory_access::kWrite, nullptr);
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 2000);
  const Ref<Semaphore> done = *device_->CreateSemaphore(0);
  const Ref<Fence> fences[] = {Fence::ForPoint(done, 1),
                               Fence::ForPoint(done, 2),
                               Fence::ForPoint(done, 3)};
  EXPECT_TRUE(
      device_->QueueRead({nullptr, fences[0].get()}, file, 0, Whole(buffer))
          .ok());
  EXPECT_TRUE(device_
                  ->QueueFill({fences[0].get(), fences[1].get()},
                              {buffer, 0, 0, 1000}, BytesOf(8u))
                  .ok());
  EXPECT_TRUE(device_
                  ->QueueWrite({fences[1].get(), fences[2].get()},
                               Whole(buffer), file, 2000)
                  .ok());
  EXPECT_EQ(StateAt(*done, 3), "3");
  EXPECT_EQ(contents[499], 7u);
  EXPECT_EQ(contents[500], 8u);
  EXPECT_EQ(contents[749], 8u);
  EXPECT_EQ(contents[750], 7u);
}

TEST_F(TaskDeviceTest, FailuresReachTheFence) {
  for (int round = 0; round < 20; ++round) {
    board_.runs.store(0);
    EXPECT_EQ(StateAt(*Queue(kFail, 100000), 1),
              "INTERNAL: Dispatch 'fail' failed with code 9.");
    EXPECT_LT(board_.runs.load(), 100000);
  }
  // A failure also fails operations that wait for its fence.
  const Ref<Semaphore> failed = *device_->CreateSemaphore(0);
  const Ref<Semaphore> after = *device_->CreateSemaphore(0);
  const Ref<Fence> first = Fence::ForPoint(failed, 1);
  const Ref<Fence> second = Fence::ForPoint(after, 1);
  EXPECT_TRUE(
      device_->QueueExecute({nullptr, first.get()}, Commands(kFail, 100), {})
          .ok());
  device_->QueueExecute({first.get(), second.get()}, Commands(kQuick, 1), {})
      .IgnoreError();
  EXPECT_EQ(StateAt(*after, 1),
            "INTERNAL: Dispatch 'fail' failed with code 9.");
}

// A waiting thread that helps returns after its deadline.
TEST_F(TaskDeviceTest, WaitsEndInTime) {
  const Ref<Semaphore> done = Queue(kSlow, 400);
  EXPECT_EQ(done->Wait(1, Deadline::After(absl::Milliseconds(20))).code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_LT(board_.runs.load(), 400);
  EXPECT_EQ(StateAt(*done, 1), "1");
  EXPECT_EQ(board_.runs.load(), 400);
}

TEST_F(TaskDeviceTest, EndsWhileBusy) {
  std::vector<Ref<Semaphore>> all;
  for (int i = 0; i < 20; ++i) all.push_back(Queue(kSlow, 3));
  device_.reset();
  for (const Ref<Semaphore>& done : all) EXPECT_EQ(State(*done), "1");
  EXPECT_EQ(board_.runs.load(), 60);
}

// A callback drops the last reference, on a thread of the device.
TEST_F(TaskDeviceTest, EndsOnAThreadOfItsOwn) {
  const Ref<Semaphore> done = Queue(kGate, 1);
  std::atomic<bool> ended{false};
  done->OnReached(1, [&](const absl::Status& status) {
    EXPECT_TRUE(status.ok()) << status;
    device_.reset();
    ended.store(true);
  });
  board_.open.store(true);
  while (!ended.load()) std::this_thread::yield();
}

// An operation releases its resources before it signals its fence.
TEST_F(TaskDeviceTest, LetsGoBeforeItSignals) {
  for (int round = 0; round < 50; ++round) {
    const Ref<Semaphore> done = *device_->CreateSemaphore(0);
    const Ref<Fence> signal = Fence::ForPoint(done, 1);
    Ref<hal::Buffer> buffer = NewBuffer(*device_, 4096);
    EXPECT_TRUE(device_
                    ->QueueFill({nullptr, signal.get()},
                                Whole(std::move(buffer)), BytesOf(1u))
                    .ok());
    EXPECT_EQ(StateAt(*done, 1), "1");
    ASSERT_EQ(device_->allocator().statistics().device_local.live(), 0u);
  }
}

}  // namespace
}  // namespace eyrie::hal::cpu
