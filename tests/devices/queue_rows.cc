// Queue operations on every device: immediate, deferred, failed, refused, and
// from several threads.
#include <array>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "hal/file.h"
#include "tests/devices/each_device.h"
#include "tests/support/device_helpers.h"
#include "tests/support/status_text.h"

namespace eyrie::hal {
namespace {

using Queue = EachDevice;
INSTANTIATE_TEST_SUITE_P(Devices, Queue, ::testing::ValuesIn(DeviceMakers()),
                         NameOfDevice);

TEST_P(Queue, RunsAtOnce) {
  const Ref<Semaphore> semaphore = *device_->CreateSemaphore(1);
  const Ref<Fence> wait = Fence::ForPoint(semaphore, 1);
  const Ref<Fence> signal = Fence::ForPoint(semaphore, 2);
  const QueueFences fences = {wait.get(), signal.get()};
  const Ref<hal::Buffer> buffer =
      *device_->QueueAlloca(fences, BufferParams(), 16);
  EXPECT_EQ(State(*semaphore), "2");
  const auto finish = [&](auto operation) {
    EXPECT_EQ(StatusText(Finish(*device_, operation)), "OK");
  };
  finish([&](const QueueFences& fences) {
    return device_->QueueFill(fences, {buffer, 0, 4, 8}, BytesOf(5u));
  });
  finish([&](const QueueFences& fences) {
    return device_->QueueUpdate(fences, BytesOf(8u), {buffer, 0, 12, 4});
  });
  finish([&](const QueueFences& fences) {
    return device_->QueueCopy(fences, {buffer, 0, 12, 4}, {buffer, 0, 0, 4});
  });
  EXPECT_EQ(Words(*buffer), "8 5 5 8");
  EXPECT_TRUE(device_->QueueDealloca({}, buffer).ok());
  EXPECT_TRUE(device_->QueueFlush().ok());
}

TEST_P(Queue, Fills) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 16);
  const uint64_t pattern = 0x8877665544332211;
  struct Case {
    size_t pattern_length;
    uint64_t offset, length;
    const char* want;
  };
  const Case kCases[] = {
      {1, 0, 16, "11111111 11111111 11111111 11111111"},
      {1, 3, 2, "11000000 11 0 0"},
      {2, 2, 12, "22110000 22112211 22112211 2211"},
      {4, 4, 8, "0 44332211 44332211 0"},
      {8, 8, 8, "0 0 44332211 88776655"},
  };
  for (const Case& c : kCases) {
    SetWords(*buffer, {0, 0, 0, 0});
    const auto fill = [&](const QueueFences& fences) {
      return device_->QueueFill(fences, {buffer, 0, c.offset, c.length},
                                BytesOf(pattern).first(c.pattern_length));
    };
    EXPECT_EQ(StatusText(Finish(*device_, fill)), "OK");
    std::array<uint32_t, 4> words;
    EXPECT_TRUE(
        buffer->Read(0, {reinterpret_cast<uint8_t*>(words.data()), 16}).ok());
    EXPECT_EQ(absl::StrCat(absl::Hex(words[0]), " ", absl::Hex(words[1]), " ",
                           absl::Hex(words[2]), " ", absl::Hex(words[3])),
              c.want);
  }
}

// The meter of the fences is charged for a waiting operation until it has run.
TEST_P(Queue, ChargesForWhatItPutsBy) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 1024);
  const Ref<Semaphore> semaphore = *device_->CreateSemaphore(0);
  const Ref<Fence> wait = Fence::ForPoint(semaphore, 1);
  const auto meter = std::make_shared<MemoryMeter>(10000);
  const QueueFences fences = {wait.get(), nullptr, &meter};
  const std::array<uint8_t, 1024> data = {};
  EXPECT_TRUE(device_->QueueBarrier(fences).ok());
  const uint64_t barrier = meter->in_use();
  EXPECT_GT(barrier, 0u);
  EXPECT_TRUE(device_->QueueUpdate(fences, data, Whole(buffer)).ok());
  EXPECT_GT(meter->in_use(), barrier + data.size());
  absl::Status status;
  int updates = 1;
  while (status.ok() && updates < 100) {
    status = device_->QueueUpdate(fences, data, Whole(buffer));
    ++updates;
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_LT(updates, 10);
  EXPECT_TRUE(semaphore->Signal(1).ok());
  AwaitUnused(*meter, *semaphore);
  // An operation that runs at once releases its memory soon.
  EXPECT_TRUE(device_->QueueUpdate(fences, data, Whole(buffer)).ok());
  AwaitUnused(*meter, *semaphore);
}

// A call that waits for an operation may need the memory that it used.
TEST_P(Queue, ReleasesItsChargeBeforeItSignals) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 1024);
  std::array<uint8_t, 1024> data = {};
  const auto file = MakeRef<File>(data, memory_access::kRead, nullptr);
  const struct {
    const char* what;
    std::function<absl::Status(const QueueFences&)> begin;
  } kRows[] = {
      {"barrier",
       [&](const QueueFences& fences) {
         return device_->QueueBarrier(fences);
       }},
      {"update",
       [&](const QueueFences& fences) {
         return device_->QueueUpdate(fences, data, Whole(buffer));
       }},
      {"read",
       [&](const QueueFences& fences) {
         return device_->QueueRead(fences, file, 0, Whole(buffer));
       }},
  };
  for (const auto& row : kRows) {
    for (const bool fails : {false, true}) {
      SCOPED_TRACE(absl::StrCat(row.what, fails));
      const Ref<Semaphore> semaphore = *device_->CreateSemaphore(0);
      const Ref<Fence> wait = Fence::ForPoint(semaphore, 1);
      const Ref<Fence> signal =
          Fence::ForPoint(*device_->CreateSemaphore(0), 1);
      const auto meter = std::make_shared<MemoryMeter>(10000);
      ASSERT_EQ(StatusText(row.begin({wait.get(), signal.get(), &meter})),
                "OK");
      EXPECT_GT(meter->in_use(), 0u);
      std::promise<uint64_t> in_use;
      signal->OnReached(
          [&](const absl::Status&) { in_use.set_value(meter->in_use()); });
      if (fails) {
        semaphore->Fail(absl::AbortedError("It is over."));
      } else {
        EXPECT_TRUE(semaphore->Signal(1).ok());
      }
      EXPECT_EQ(in_use.get_future().get(), 0u);
    }
  }
}

// The meter is also charged for what semaphores store for a wait on many.
TEST_P(Queue, ChargesForWideWaits) {
  constexpr uint64_t kPoints = 1000;
  const Ref<Fence> wait = MakeRef<Fence>();
  for (uint64_t i = 0; i < kPoints; ++i) {
    wait->Insert(*device_->CreateSemaphore(0), 1);
  }
  const auto meter = std::make_shared<MemoryMeter>(1 << 20);
  const QueueFences fences = {wait.get(), nullptr, &meter};
  absl::Status status;
  int barriers = 0;
  for (; status.ok() && barriers < 100; ++barriers) {
    status = device_->QueueBarrier(fences);
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_LT(barriers, 10);
  // One failure ends the waits. The other semaphores keep their entries until
  // they fail, too.
  const std::vector<Fence::Point> points(wait->points().begin(),
                                         wait->points().end());
  points.back().semaphore->Fail(absl::AbortedError("It is over."));
  EXPECT_GT(meter->in_use(), kPoints * 100);
  for (const Fence::Point& point : points) {
    point.semaphore->Fail(absl::AbortedError("It is over."));
  }
  AwaitUnused(*meter, *points.front().semaphore);
  // Nothing is stored for a fence that has failed.
  EXPECT_FALSE(device_->QueueBarrier(fences).ok());
  EXPECT_EQ(meter->in_use(), 0u);
}

TEST_P(Queue, Files) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 8);
  std::array<uint32_t, 3> contents = {1, 2, 3};
  const std::span<uint8_t> bytes = {reinterpret_cast<uint8_t*>(contents.data()),
                                    12};
  const Ref<File> file = MakeRef<File>(
      bytes, memory_access::kRead | memory_access::kWrite, nullptr);
  const Ref<File> constant =
      MakeRef<File>(bytes, memory_access::kRead, nullptr);
  const auto read = [&](const QueueFences& fences) {
    return device_->QueueRead(fences, constant, 4, Whole(buffer));
  };
  EXPECT_EQ(StatusText(Finish(*device_, read)), "OK");
  EXPECT_EQ(Words(*buffer), "2 3");
  const auto write = [&](const QueueFences& fences) {
    return device_->QueueWrite(fences, {buffer, 0, 4, 4}, file, 0);
  };
  EXPECT_EQ(StatusText(Finish(*device_, write)), "OK");
  EXPECT_EQ(contents[0], 3u);
  EXPECT_EQ(StatusText(device_->QueueRead({}, file, 8, Whole(buffer))),
            "OUT_OF_RANGE: The range of 8 bytes at offset 8 passes the end of "
            "the file (12 bytes).");
  EXPECT_EQ(StatusText(device_->QueueWrite({}, Whole(buffer), constant, 0)),
            "PERMISSION_DENIED: The file's access (READ) lacks WRITE.");
  EXPECT_EQ(StatusText(device_->QueueRead({}, nullptr, 0, Whole(buffer))),
            "INVALID_ARGUMENT: A transfer has no file.");
  EXPECT_EQ(StatusText(device_->QueueRead({}, file, 0, Whole(nullptr))),
            "INVALID_ARGUMENT: A transfer has no buffer.");
}

TEST_P(Queue, WaitsBeforeTheSignal) {
  const Ref<Semaphore> gate = *device_->CreateSemaphore(0);
  const Ref<Semaphore> done = *device_->CreateSemaphore(0);
  std::array<uint32_t, 1> contents = {77};
  const Ref<File> file = MakeRef<File>(
      std::span<uint8_t>(reinterpret_cast<uint8_t*>(contents.data()), 4),
      memory_access::kRead | memory_access::kWrite, nullptr);
  const Ref<Fence> opened = Fence::ForPoint(gate, 1);
  Ref<hal::Buffer> buffer;
  {
    // The work must keep these fences and references alive itself.
    const Ref<Fence> first = Fence::ForPoint(done, 1);
    const Ref<Fence> second = Fence::ForPoint(done, 2);
    const Ref<Fence> third = Fence::ForPoint(done, 3);
    const Ref<Fence> fourth = Fence::ForPoint(done, 4);
    buffer =
        *device_->QueueAlloca({opened.get(), first.get()}, BufferParams(), 8);
    EXPECT_TRUE(
        device_
            ->QueueFill({first.get(), second.get()}, Whole(buffer), BytesOf(3u))
            .ok());
    EXPECT_TRUE(
        device_
            ->QueueRead({second.get(), third.get()}, file, 0, {buffer, 0, 4, 4})
            .ok());
    EXPECT_TRUE(device_
                    ->QueueWrite({third.get(), fourth.get()}, {buffer, 0, 0, 4},
                                 file, 0)
                    .ok());
    const Ref<Fence> fifth = Fence::ForPoint(done, 5);
    EXPECT_TRUE(
        device_->QueueDealloca({fourth.get(), fifth.get()}, buffer).ok());
  }
  EXPECT_EQ(State(*done), "0");
  EXPECT_EQ(Words(*buffer), "0 0");
  EXPECT_TRUE(gate->Signal(1).ok());
  EXPECT_EQ(StateAt(*done, 5), "5");
  EXPECT_EQ(Words(*buffer), "3 77");
  EXPECT_EQ(contents[0], 3u);
}

TEST_P(Queue, LongChainsNeedNoStack) {
  constexpr int kLength = 20000;
  const Ref<Semaphore> timeline = *device_->CreateSemaphore(0);
  // Queued in reverse order, so that each operation becomes ready while the
  // previous one completes.
  for (int i = kLength; i >= 1; --i) {
    const Ref<Fence> wait = Fence::ForPoint(timeline, i);
    const Ref<Fence> signal = Fence::ForPoint(timeline, i + 1);
    ASSERT_TRUE(device_->QueueBarrier({wait.get(), signal.get()}).ok());
  }
  EXPECT_TRUE(timeline->Signal(1).ok());
  EXPECT_EQ(State(*timeline), absl::StrCat(kLength + 1));
}

TEST_P(Queue, FailuresTravel) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 8);
  const Ref<Semaphore> gate = *device_->CreateSemaphore(0);
  const Ref<Semaphore> one = *device_->CreateSemaphore(0);
  const Ref<Semaphore> two = *device_->CreateSemaphore(0);
  const Ref<Fence> opened = Fence::ForPoint(gate, 1);
  const Ref<Fence> first = Fence::ForPoint(one, 1);
  const Ref<Fence> second = Fence::ForPoint(two, 1);
  EXPECT_TRUE(
      device_
          ->QueueFill({opened.get(), first.get()}, Whole(buffer), BytesOf(3u))
          .ok());
  gate->Fail(absl::DataLossError("The gate broke."));
  EXPECT_EQ(State(*one), "DATA_LOSS: The gate broke.");
  // A wait that has already failed also fails the call itself.
  EXPECT_EQ(StatusText(device_->QueueFill({first.get(), second.get()},
                                          Whole(buffer), BytesOf(3u))),
            "DATA_LOSS: The gate broke.");
  EXPECT_EQ(State(*two), "DATA_LOSS: The gate broke.");
  EXPECT_EQ(Words(*buffer), "0 0");
}

TEST_P(Queue, RefusedOperationsFailTheirSignal) {
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 8);
  const auto refused = [&](auto operation) {
    const Ref<Semaphore> gate = *device_->CreateSemaphore(0);
    const Ref<Semaphore> done = *device_->CreateSemaphore(0);
    const Ref<Fence> wait = Fence::ForPoint(gate, 1);
    const Ref<Fence> signal = Fence::ForPoint(done, 1);
    std::string text =
        StatusText(operation(QueueFences{wait.get(), signal.get()}));
    EXPECT_EQ(State(*done), text);
    return text;
  };
  EXPECT_EQ(refused([&](const QueueFences& fences) {
              return device_->QueueFill(fences, {buffer, 0, 4, 8}, BytesOf(1u));
            }),
            "OUT_OF_RANGE: The range of 8 bytes at offset 4 passes the end of "
            "the buffer (8 bytes). (the fill's target)");
  EXPECT_EQ(refused([&](const QueueFences& fences) {
              return device_->QueueDealloca(fences, nullptr);
            }),
            "INVALID_ARGUMENT: A deallocation has no buffer.");
  EXPECT_EQ(refused([&](const QueueFences& fences) {
              return device_->QueueExecute(
                  fences, MakeRef<CommandBuffer>(0, kAnyQueue, 0), {});
            }),
            "FAILED_PRECONDITION: The command buffer is still being recorded.");
  EXPECT_EQ(refused([&](const QueueFences& fences) {
              return device_->QueueAlloca(fences, BufferParams(), ~uint64_t{0})
                  .status();
            }).substr(0, 18),
            "RESOURCE_EXHAUSTED");
}

TEST_P(Queue, NothingWaitsForItself) {
  const Ref<Semaphore> semaphore = *device_->CreateSemaphore(0);
  const Ref<Fence> one = Fence::ForPoint(semaphore, 1);
  const Ref<Fence> two = Fence::ForPoint(semaphore, 2);
  EXPECT_EQ(StatusText(device_->QueueBarrier({two.get(), one.get()})),
            "INVALID_ARGUMENT: The operation waits until a semaphore reaches "
            "2, which it would itself raise to 1.");
  // The signal fence has failed, so that no thread waits for it forever.
  EXPECT_EQ(StatusText(one->Query()),
            "INVALID_ARGUMENT: The operation waits until a semaphore reaches "
            "2, which it would itself raise to 1.");
}

TEST_P(Queue, WhatWaitsEndsWithTheDevice) {
  const Ref<Semaphore> gate = *device_->CreateSemaphore(0);
  const Ref<Semaphore> done = *device_->CreateSemaphore(0);
  const Ref<Fence> wait = Fence::ForPoint(gate, 1);
  const Ref<Fence> signal = Fence::ForPoint(done, 1);
  // Waits for a semaphore that it would signal. This cycle must not leak.
  const Ref<Fence> same = Fence::ForPoint(gate, 2);
  EXPECT_TRUE(device_->QueueBarrier({wait.get(), signal.get()}).ok());
  EXPECT_TRUE(device_->QueueBarrier({wait.get(), same.get()}).ok());
  device_.reset();
  EXPECT_EQ(State(*done),
            "CANCELLED: The device was released while the operation was "
            "waiting.");
  EXPECT_FALSE(gate->Signal(1).ok());
}

// Operations that wait for each other are cancelled with their owner. Other
// owners' operations are not.
TEST_P(Queue, WhatWaitsEndsWithItsOwner) {
  const Ref<Semaphore> gate = *device_->CreateSemaphore(0);
  const Ref<Semaphore> semaphores[] = {
      *device_->CreateSemaphore(0), *device_->CreateSemaphore(0),
      *device_->CreateSemaphore(0), *device_->CreateSemaphore(0)};
  const auto queue = [&](const Ref<Semaphore>& wait,
                         const Ref<Semaphore>& signal, const void* owner) {
    const Ref<Fence> before = Fence::ForPoint(wait, 1);
    const Ref<Fence> after = Fence::ForPoint(signal, 1);
    QueueFences fences = {before.get(), after.get()};
    fences.owner = owner;
    EXPECT_TRUE(device_->QueueBarrier(fences).ok());
  };
  const int ours = 0;
  const int theirs = 0;
  queue(semaphores[0], semaphores[1], &ours);
  queue(semaphores[1], semaphores[0], &ours);
  queue(gate, semaphores[2], &theirs);
  queue(gate, semaphores[3], nullptr);
  device_->CancelQueued(&ours);
  const std::string gone =
      "CANCELLED: The context was released while the operation was "
      "waiting.";
  EXPECT_EQ(State(*semaphores[0]), gone);
  EXPECT_EQ(State(*semaphores[1]), gone);
  EXPECT_TRUE(gate->Signal(1).ok());
  EXPECT_EQ(*semaphores[2]->Query(), 1u);
  EXPECT_EQ(*semaphores[3]->Query(), 1u);
}

TEST_P(Queue, WhatNobodyCanSignalIsCancelled) {
  Ref<Semaphore> gate = *device_->CreateSemaphore(0);
  const Ref<Semaphore> done = *device_->CreateSemaphore(0);
  {
    const Ref<Fence> wait = Fence::ForPoint(gate, 1);
    const Ref<Fence> signal = Fence::ForPoint(done, 1);
    EXPECT_TRUE(device_->QueueBarrier({wait.get(), signal.get()}).ok());
  }
  EXPECT_EQ(State(*done), "0");
  gate.reset();
  EXPECT_EQ(State(*done),
            "CANCELLED: The semaphore was released before it reached 1.");
}

TEST_P(Queue, Threads) {
  constexpr uint32_t kSteps = 100;
  const Ref<hal::Buffer> buffer = NewBuffer(*device_, 4);
  const Ref<Semaphore> gate = *device_->CreateSemaphore(0);
  const Ref<Semaphore> done = *device_->CreateSemaphore(0);
  std::thread opener([&] {
    for (uint32_t i = 1; i <= kSteps; ++i) EXPECT_TRUE(gate->Signal(i).ok());
  });
  for (uint32_t i = 1; i <= kSteps; ++i) {
    const Ref<Fence> both = Fence::ForPoint(gate, i);
    both->Insert(done, i - 1);
    const Ref<Fence> signal = Fence::ForPoint(done, i);
    EXPECT_TRUE(
        device_
            ->QueueFill({both.get(), signal.get()}, Whole(buffer), BytesOf(i))
            .ok());
  }
  EXPECT_TRUE(done->Wait(kSteps, Deadline::Never()).ok());
  opener.join();
  EXPECT_EQ(Words(*buffer), absl::StrCat(kSteps));
}

}  // namespace
}  // namespace eyrie::hal
