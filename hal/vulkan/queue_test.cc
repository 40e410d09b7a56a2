// Tests Vulkan queues beyond the tests for all devices in tests/devices: work
// that the device does without the host.
#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "tests/devices/each_device.h"
#include "tests/support/cpu_device.h"
#include "tests/support/thread_limit.h"
#include "tests/support/vulkan_device.h"

namespace eyrie::hal {

std::vector<DeviceMaker> DeviceMakers() {
  std::vector<DeviceMaker> makers;
  for (const vulkan::VulkanKind& kind : vulkan::kVulkanKinds) {
    makers.push_back({kind.name, [kind] {
                        return vulkan::OpenFirst(vulkan::OptionsOf(kind));
                      }});
  }
  return makers;
}

namespace vulkan {
namespace {

class QueueTest : public EachVulkanDevice {
 protected:
  // Queues a fill of `words` words between two values of a timeline.
  absl::Status Fill(const Ref<hal::Buffer>& buffer, uint32_t pattern,
                    const Ref<Semaphore>& timeline, uint64_t after) {
    const Ref<Fence> wait = Fence::ForPoint(timeline, after);
    const Ref<Fence> signal = Fence::ForPoint(timeline, after + 1);
    return device_->QueueFill({wait.get(), signal.get()}, Whole(buffer),
                              BytesOf(pattern));
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, QueueTest, AllVulkanKinds(),
                         NameOfVulkanKind);

// Work that waits for submitted work is submitted at once, without the host.
TEST_P(QueueTest, ChainsWithoutTheHost) {
  constexpr uint32_t kSteps = 200;
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 4096);
  const Ref<Semaphore> timeline = *device_->CreateSemaphore(0);
  const auto meter = std::make_shared<MemoryMeter>(1 << 20);
  for (uint32_t i = 0; i < kSteps; ++i) {
    ASSERT_EQ(StatusText(Fill(buffer, i, timeline, i)), "OK");
  }
  EXPECT_EQ(StateAt(*timeline, kSteps), absl::StrCat(kSteps));
  EXPECT_EQ(Words(**hal::Buffer::Subspan(buffer, 4092, 4)),
            absl::StrCat(kSteps - 1));
  // Barriers and allocations are ordered with other work.
  const Ref<Semaphore> other = *device_->CreateSemaphore(0);
  EXPECT_TRUE(Fill(buffer, 7, timeline, kSteps).ok());
  const Ref<Fence> filled = Fence::ForPoint(timeline, kSteps + 1);
  const Ref<Fence> passed = Fence::ForPoint(other, 1);
  const Ref<Fence> made = Fence::ForPoint(other, 2);
  const Ref<Fence> freed = Fence::ForPoint(other, 3);
  EXPECT_TRUE(device_->QueueBarrier({filled.get(), passed.get()}).ok());
  Ref<hal::Buffer> more =
      *device_->QueueAlloca({passed.get(), made.get()}, BufferParams(), 4096);
  EXPECT_TRUE(device_->QueueDealloca({made.get(), freed.get()}, more).ok());
  EXPECT_EQ(StateAt(*other, 3), "3");
  EXPECT_EQ(State(*timeline), absl::StrCat(kSteps + 1));
}

// A fence on several timelines: reached, promised, and neither.
TEST_P(QueueTest, WaitsForSeveralTimelines) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 16);
  const Ref<Semaphore> reached = *device_->CreateSemaphore(5);
  const Ref<Semaphore> promised = *device_->CreateSemaphore(0);
  const Ref<Semaphore> gate = *device_->CreateSemaphore(0);
  const Ref<Semaphore> done = *device_->CreateSemaphore(0);
  EXPECT_TRUE(Fill(buffer, 1, promised, 0).ok());
  const Ref<Fence> wait = Fence::ForPoint(reached, 5);
  wait->Insert(promised, 1);
  {
    const Ref<Fence> signal = Fence::ForPoint(done, 1);
    EXPECT_TRUE(device_
                    ->QueueFill({wait.get(), signal.get()}, {buffer, 0, 4, 4},
                                BytesOf(2u))
                    .ok());
  }
  wait->Insert(gate, 1);
  {
    const Ref<Fence> signal = Fence::ForPoint(done, 2);
    EXPECT_TRUE(device_
                    ->QueueFill({wait.get(), signal.get()}, {buffer, 0, 8, 4},
                                BytesOf(3u))
                    .ok());
  }
  EXPECT_EQ(StateAt(*done, 1), "1");
  EXPECT_TRUE(gate->Signal(1).ok());
  EXPECT_EQ(StateAt(*done, 2), "2");
  EXPECT_EQ(Words(*buffer), "1 2 3 1");
}

// A wait may be for a value that is never signalled itself.
TEST_P(QueueTest, SkipsValues) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 4);
  const Ref<Semaphore> timeline = *device_->CreateSemaphore(0);
  const Ref<Fence> ten = Fence::ForPoint(timeline, 10);
  const Ref<Fence> four = Fence::ForPoint(timeline, 4);
  const Ref<Fence> twelve = Fence::ForPoint(timeline, 12);
  EXPECT_TRUE(
      device_->QueueFill({nullptr, ten.get()}, Whole(buffer), BytesOf(1u))
          .ok());
  EXPECT_TRUE(
      device_->QueueFill({four.get(), twelve.get()}, Whole(buffer), BytesOf(2u))
          .ok());
  EXPECT_EQ(StateAt(*timeline, 11), "12");
  EXPECT_EQ(Words(*buffer), "2");
}

// A callback runs even if no thread waits or queries.
TEST_P(QueueTest, CallsBackByItself) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 4096);
  for (uint32_t round = 0; round < 20; ++round) {
    const Ref<Semaphore> timeline = *device_->CreateSemaphore(0);
    std::promise<void> called;
    std::string how;
    const auto listen = [&] {
      timeline->OnReached(1, [&](const absl::Status& status) {
        how = StatusText(status);
        called.set_value();
      });
    };
    // Before or after the work is submitted.
    if (round % 2 == 0) listen();
    EXPECT_TRUE(Fill(buffer, round, timeline, 0).ok());
    if (round % 2 == 1) listen();
    ASSERT_EQ(called.get_future().wait_for(std::chrono::minutes(1)),
              std::future_status::ready);
    EXPECT_EQ(how, "OK");
  }
}

// Work that waits for the host is submitted by the thread that signals, and
// noticed by a thread that waits for a later value.
TEST_P(QueueTest, WaitsForWhatIsNotYetPromised) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 4096);
  const Ref<Semaphore> gate = *device_->CreateSemaphore(0);
  const Ref<Semaphore> done = *device_->CreateSemaphore(0);
  std::thread waiter([&] { EXPECT_EQ(StateAt(*done, 2), "2"); });
  const Ref<Fence> opened = Fence::ForPoint(gate, 1);
  const Ref<Fence> first = Fence::ForPoint(done, 1);
  const Ref<Fence> second = Fence::ForPoint(done, 2);
  EXPECT_TRUE(device_
                  ->QueueFill({first.get(), second.get()}, {buffer, 0, 0, 4},
                              BytesOf(2u))
                  .ok());
  EXPECT_TRUE(device_
                  ->QueueFill({opened.get(), first.get()}, {buffer, 0, 0, 8},
                              BytesOf(1u))
                  .ok());
  EXPECT_TRUE(gate->Signal(1).ok());
  waiter.join();
  EXPECT_EQ(Words(**hal::Buffer::Subspan(buffer, 0, 8)), "2 1");
}

TEST_P(QueueTest, Deadlines) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 4096);
  const Ref<Semaphore> timeline = *device_->CreateSemaphore(0);
  EXPECT_EQ(
      StatusText(timeline->Wait(1, Deadline::After(absl::Milliseconds(5)))),
      "DEADLINE_EXCEEDED: The semaphore is at 0 and did not reach 1 in "
      "time.");
  EXPECT_EQ(timeline->Wait(1, Deadline::Passed()).code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(Fill(buffer, 1, timeline, 0).ok());
  // Only the device knows whether it is complete; no other error is possible.
  const absl::Status at_once = timeline->Wait(1, Deadline::Passed());
  EXPECT_TRUE(at_once.ok() || absl::IsDeadlineExceeded(at_once)) << at_once;
  EXPECT_EQ(StateAt(*timeline, 1), "1");
  EXPECT_EQ(StatusText(timeline->Wait(1, Deadline::Passed())), "OK");
}

// A wait for the host's signal needs the queue's thread; a wait for submitted
// work does not.
TEST_P(QueueTest, ThereMayBeNoThread) {
  constexpr char kNoThread[] =
      "RESOURCE_EXHAUSTED: Cannot start a thread for the waits of a Vulkan "
      "device: Resource temporarily unavailable.";
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 4);
  const Ref<Semaphore> timeline = *device_->CreateSemaphore(0);
  std::string how;
  {
    const tests::ThreadLimit none(0);
    EXPECT_EQ(StatusText(timeline->Wait(9, Deadline::Never())), kNoThread);
    timeline->OnReached(9, [&](const absl::Status& s) { how = StatusText(s); });
    EXPECT_EQ(how, kNoThread);
    EXPECT_TRUE(Fill(buffer, 1, timeline, 0).ok());
    EXPECT_EQ(StatusText(timeline->Wait(1, Deadline::Never())), "OK");
  }
  timeline->OnReached(9, [&](const absl::Status& s) { how = StatusText(s); });
  EXPECT_TRUE(timeline->Signal(9).ok());
  EXPECT_EQ(how, "OK");
}

// The host signals more than a promised value, or fails the timeline.
TEST_P(QueueTest, TheHostMayBeFaster) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 4);
  const Ref<Semaphore> timeline = *device_->CreateSemaphore(0);
  EXPECT_TRUE(Fill(buffer, 1, timeline, 0).ok());
  // Work and host may signal in any order; the larger value remains.
  EXPECT_TRUE(timeline->Signal(9).ok());
  EXPECT_EQ(StateAt(*timeline, 9), "9");
  const Ref<Semaphore> broken = *device_->CreateSemaphore(0);
  const Ref<Semaphore> after = *device_->CreateSemaphore(0);
  EXPECT_TRUE(Fill(buffer, 2, broken, 0).ok());
  broken->Fail(absl::DataLossError("It broke."));
  EXPECT_EQ(State(*broken), "DATA_LOSS: It broke.");
  const Ref<Fence> wait = Fence::ForPoint(broken, 1);
  const Ref<Fence> signal = Fence::ForPoint(after, 1);
  EXPECT_EQ(StatusText(device_->QueueFill({wait.get(), signal.get()},
                                          Whole(buffer), BytesOf(3u))),
            "DATA_LOSS: It broke.");
  EXPECT_EQ(State(*after), "DATA_LOSS: It broke.");
}

TEST_P(QueueTest, ThreadsSubmitAndWait) {
  constexpr uint32_t kSteps = 40;
  std::atomic<int> called{0};
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Ref<hal::Buffer> buffer = NewBuffer(*device_, 256);
      const Ref<Semaphore> timeline = *device_->CreateSemaphore(0);
      for (uint32_t i = 0; i < kSteps; ++i) {
        EXPECT_TRUE(Fill(buffer, t * 1000 + i, timeline, i).ok());
        timeline->OnReached(i + 1, [&](const absl::Status& status) {
          EXPECT_TRUE(status.ok());
          ++called;
        });
        if (i % 3 != t % 3) continue;
        EXPECT_TRUE(timeline->Wait(i + 1, Deadline::Never()).ok());
        EXPECT_EQ(Words(**hal::Buffer::Subspan(buffer, 252, 4)),
                  absl::StrCat(t * 1000 + i));
      }
      EXPECT_TRUE(timeline->Wait(kSteps, Deadline::Never()).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  // A thread may see the end before the last callback has run.
  const Deadline limit = Deadline::After(absl::Minutes(1));
  while (called != 4 * kSteps && !limit.HasPassed()) {
    absl::SleepFor(absl::Milliseconds(1));
  }
  EXPECT_EQ(called, 4 * kSteps);
}

// Closing a device waits for submitted work; buffers remain valid.
TEST_P(QueueTest, ADeviceGoesWithItsWorkDone) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 1 << 20);
  const Ref<Semaphore> timeline = *device_->CreateSemaphore(0);
  std::string how = "not called";
  timeline->OnReached(
      20, [&](const absl::Status& status) { how = StatusText(status); });
  for (uint32_t i = 0; i < 20; ++i) {
    EXPECT_TRUE(Fill(buffer, i, timeline, i).ok());
  }
  device_.reset();
  EXPECT_EQ(State(*timeline), "20");
  EXPECT_EQ(how, "OK");
  EXPECT_EQ(Words(**hal::Buffer::Subspan(buffer, 0, 8)), "19 19");
}

// A callback on the queue's thread releases the last reference to a device.
TEST_P(QueueTest, ADeviceGoesInACallback) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 4096);
  const Ref<Semaphore> timeline = *device_->CreateSemaphore(0);
  std::promise<void> called;
  Ref<hal::Device> device = device_;
  EXPECT_TRUE(Fill(buffer, 1, timeline, 0).ok());
  device_.reset();
  timeline->OnReached(1, [&](const absl::Status&) {
    device.reset();
    called.set_value();
  });
  ASSERT_EQ(called.get_future().wait_for(std::chrono::minutes(1)),
            std::future_status::ready);
  EXPECT_EQ(State(*timeline), "1");
}

// The host connects fences of other devices.
TEST_P(QueueTest, OtherDevicesFences) {
  const Ref<hal::Device> cpu = cpu::NewDevice();
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 8);
  const Ref<Semaphore> theirs = *cpu->CreateSemaphore(0);
  const Ref<Semaphore> ours = *device_->CreateSemaphore(0);
  EXPECT_FALSE(device_->TakesSemaphore(*theirs));
  EXPECT_TRUE(device_->TakesSemaphore(*ours));
  const auto at = [](const Ref<Semaphore>& semaphore, uint64_t value) {
    return Fence::ForPoint(semaphore, value);
  };
  // CPU, then Vulkan, then CPU, then Vulkan.
  const Ref<Fence> begin = at(theirs, 1);
  const Ref<Fence> one = at(ours, 1);
  const Ref<Fence> two = at(theirs, 2);
  const Ref<Fence> three = at(theirs, 3);
  EXPECT_TRUE(
      device_->QueueFill({begin.get(), one.get()}, Whole(buffer), BytesOf(1u))
          .ok());
  EXPECT_TRUE(cpu->QueueBarrier({one.get(), two.get()}).ok());
  EXPECT_TRUE(
      device_
          ->QueueFill({two.get(), three.get()}, {buffer, 0, 4, 4}, BytesOf(2u))
          .ok());
  EXPECT_EQ(State(*ours), "0");
  EXPECT_TRUE(theirs->Signal(1).ok());
  EXPECT_EQ(StateAt(*theirs, 3), "3");
  EXPECT_EQ(Words(*buffer), "1 2");
  // Failures are passed on, too.
  const Ref<Semaphore> broken = *cpu->CreateSemaphore(0);
  const Ref<Semaphore> end = *device_->CreateSemaphore(0);
  const Ref<Fence> wait = at(broken, 1);
  const Ref<Fence> signal = at(end, 1);
  EXPECT_TRUE(
      device_->QueueFill({wait.get(), signal.get()}, Whole(buffer), BytesOf(3u))
          .ok());
  broken->Fail(absl::DataLossError("It broke."));
  EXPECT_EQ(StateAt(*end, 1), "DATA_LOSS: It broke.");
  EXPECT_EQ(Words(*buffer), "1 2");
}

}  // namespace
}  // namespace vulkan
}  // namespace eyrie::hal
