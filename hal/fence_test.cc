// Tests semaphores and fences, on one thread and on several.
#include "hal/fence.h"

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/deadline.h"
#include "gtest/gtest.h"
#include "hal/host_semaphore.h"
#include "tests/support/status_text.h"

namespace eyrie::hal {
namespace {

Ref<Semaphore> NewSemaphore(uint64_t value = 0) {
  return MakeRef<HostSemaphore>(value);
}

// Appends the status that a callback received.
Semaphore::Callback Log(std::string& log, const std::string& name) {
  return [&log, name](const absl::Status& status) {
    absl::StrAppend(&log, name, " ", StatusText(status), ";");
  };
}

TEST(Semaphore, OnlyRises) {
  const Ref<Semaphore> semaphore = NewSemaphore(3);
  EXPECT_EQ(*semaphore->Query(), 3u);
  EXPECT_EQ(StatusText(semaphore->Signal(5)), "OK");
  EXPECT_EQ(*semaphore->Query(), 5u);
  for (uint64_t value : {uint64_t{5}, uint64_t{0}}) {
    EXPECT_EQ(StatusText(semaphore->Signal(value)),
              absl::StrCat("INVALID_ARGUMENT: A semaphore cannot be signalled "
                           "to ",
                           value, "; it is at 5 and only rises."));
  }
  EXPECT_EQ(StatusText(semaphore->Signal(~uint64_t{0})),
            "INVALID_ARGUMENT: A semaphore cannot be signalled to "
            "18446744073709551615; it is at 5 and only rises.");
  EXPECT_EQ(StatusText(semaphore->Signal(~uint64_t{0} - 1)), "OK");
}

TEST(Semaphore, FailureStays) {
  const Ref<Semaphore> semaphore = NewSemaphore(3);
  semaphore->Fail(absl::DataLossError("One."));
  semaphore->Fail(absl::InternalError("Two."));
  EXPECT_EQ(StatusText(semaphore->Query()), "DATA_LOSS: One.");
  EXPECT_EQ(StatusText(semaphore->Signal(9)), "DATA_LOSS: One.");
  EXPECT_EQ(StatusText(semaphore->Wait(1, Deadline::Passed())),
            "DATA_LOSS: One.");
  std::string log;
  semaphore->OnReached(1, Log(log, "a"));
  EXPECT_EQ(log, "a DATA_LOSS: One.;");
}

TEST(Semaphore, Callbacks) {
  std::string log;
  {
    const Ref<Semaphore> semaphore = NewSemaphore();
    semaphore->OnReached(0, Log(log, "zero"));
    EXPECT_EQ(log, "zero OK;");
    for (int value : {3, 1, 2, 9}) {
      semaphore->OnReached(value, Log(log, absl::StrCat(value)));
    }
    log.clear();
    EXPECT_TRUE(semaphore->Signal(2).ok());
    EXPECT_EQ(log, "1 OK;2 OK;");
    log.clear();
    semaphore->OnReached(4, [&](const absl::Status&) {
      // A callback may signal other semaphores.
      semaphore->Signal(8).IgnoreError();
      log += "4;";
    });
    EXPECT_TRUE(semaphore->Signal(4).ok());
    EXPECT_EQ(log, "3 OK;4;");
    log.clear();
  }
  EXPECT_EQ(log,
            "9 CANCELLED: The semaphore was released before it reached 9.;");
}

TEST(Semaphore, FailureReachesCallbacks) {
  const Ref<Semaphore> semaphore = NewSemaphore();
  std::string log;
  semaphore->OnReached(7, Log(log, "7"));
  semaphore->Fail(absl::AbortedError("Stop."));
  EXPECT_EQ(log, "7 ABORTED: Stop.;");
}

TEST(Semaphore, WaitEnds) {
  const Ref<Semaphore> semaphore = NewSemaphore(4);
  EXPECT_EQ(StatusText(semaphore->Wait(4, Deadline::Passed())), "OK");
  const std::string late =
      "DEADLINE_EXCEEDED: The semaphore is at 4 and did not reach 5 in time.";
  EXPECT_EQ(StatusText(semaphore->Wait(5, Deadline::Passed())), late);
  EXPECT_EQ(
      StatusText(semaphore->Wait(5, Deadline::After(absl::Milliseconds(5)))),
      late);
  std::thread signaller([&] { semaphore->Signal(6).IgnoreError(); });
  EXPECT_EQ(StatusText(semaphore->Wait(6, Deadline::Never())), "OK");
  signaller.join();
  std::thread failer([&] { semaphore->Fail(absl::AbortedError("Stop.")); });
  EXPECT_EQ(StatusText(semaphore->Wait(7, Deadline::Never())),
            "ABORTED: Stop.");
  failer.join();
}

TEST(Semaphore, ManyThreads) {
  constexpr int kSteps = 200;
  const Ref<Semaphore> ping = NewSemaphore();
  const Ref<Semaphore> pong = NewSemaphore();
  std::atomic<int> callbacks{0};
  std::thread other([&] {
    for (int i = 1; i <= kSteps; ++i) {
      EXPECT_TRUE(ping->Wait(i, Deadline::Never()).ok());
      EXPECT_TRUE(pong->Signal(i).ok());
    }
  });
  std::thread watcher([&] {
    for (int i = 1; i <= kSteps; ++i) {
      pong->OnReached(
          i, [&](const absl::Status& status) { callbacks += status.ok(); });
    }
  });
  for (int i = 1; i <= kSteps; ++i) {
    EXPECT_TRUE(ping->Signal(i).ok());
    EXPECT_TRUE(pong->Wait(i, Deadline::Never()).ok());
  }
  other.join();
  watcher.join();
  EXPECT_EQ(callbacks, kSteps);
}

TEST(Fence, PointsAreJoined) {
  const Ref<Semaphore> a = NewSemaphore();
  const Ref<Semaphore> b = NewSemaphore();
  const Ref<Fence> first = Fence::ForPoint(a, 2);
  first->Insert(a, 1);
  first->Insert(b, 1);
  const Ref<Fence> second = Fence::ForPoint(b, 5);
  const Fence* const all[] = {first.get(), nullptr, second.get()};
  const Ref<Fence> joined =
      Fence::Join({const_cast<Fence* const*>(all), std::size(all)});
  std::string text;
  for (const Fence::Point& point : joined->points()) {
    absl::StrAppend(&text, point.semaphore == a ? "a" : "b", point.value, " ");
  }
  EXPECT_EQ(text, "a2 b5 ");
  EXPECT_TRUE(*Fence::Join({})->Query());
}

// The state of a fence of two points after each step.
TEST(Fence, ManyPointsAreJoined) {
  constexpr size_t kCount = 100;
  std::vector<Ref<Semaphore>> semaphores;
  std::vector<Ref<Fence>> fences;
  std::vector<Fence*> list = {nullptr};
  for (size_t i = 0; i < kCount; ++i) {
    semaphores.push_back(NewSemaphore());
    fences.push_back(Fence::ForPoint(semaphores[i / 2], i + 1));
    list.insert(list.end(), {fences[i].get(), fences[0].get()});
  }
  const Ref<Fence> joined = Fence::Join(list);
  ASSERT_EQ(joined->points().size(), kCount / 2);
  for (size_t i = 0; i < kCount / 2; ++i) {
    EXPECT_EQ(joined->points()[i].semaphore, semaphores[i]);
    EXPECT_EQ(joined->points()[i].value, 2 * i + 2);
  }
  // Fences with many points, given several times, are read only once.
  const std::vector<Fence*> often(100000, joined.get());
  EXPECT_EQ(Fence::Join(often)->points().size(), kCount / 2);
}

TEST(Fence, States) {
  const Ref<Semaphore> a = NewSemaphore();
  const Ref<Semaphore> b = NewSemaphore();
  const Ref<Fence> fence = Fence::ForPoint(a, 2);
  fence->Insert(b, 1);
  std::string log;
  fence->OnReached(Log(log, "first"));
  const auto state = [&] {
    const absl::StatusOr<bool> reached = fence->Query();
    return reached.ok() ? std::string(*reached ? "reached" : "waiting")
                        : StatusText(reached);
  };
  EXPECT_EQ(state(), "waiting");
  EXPECT_TRUE(a->Signal(3).ok());
  EXPECT_EQ(state() + log, "waiting");
  EXPECT_EQ(StatusText(fence->Wait(Deadline::After(absl::Milliseconds(2)))),
            "DEADLINE_EXCEEDED: The fence of 2 points was not reached in "
            "time.");
  EXPECT_TRUE(b->Signal(1).ok());
  EXPECT_EQ(state() + " " + log, "reached first OK;");
  EXPECT_EQ(StatusText(fence->Wait(Deadline::Passed())), "OK");
  b->Fail(absl::AbortedError("Stop."));
  EXPECT_EQ(state(), "ABORTED: Stop.");
  fence->OnReached(Log(log, "second"));
  EXPECT_EQ(log, "first OK;second ABORTED: Stop.;");
}

TEST(Fence, OneFailureIsEnough) {
  const Ref<Semaphore> a = NewSemaphore();
  const Ref<Semaphore> b = NewSemaphore();
  const Ref<Fence> fence = Fence::ForPoint(a, 1);
  fence->Insert(b, 1);
  std::string log;
  fence->OnReached(Log(log, "fence"));
  std::thread failer([&] { b->Fail(absl::AbortedError("Stop.")); });
  EXPECT_EQ(StatusText(fence->Wait(Deadline::Never())), "ABORTED: Stop.");
  failer.join();
  EXPECT_TRUE(a->Signal(1).ok());
  EXPECT_EQ(log, "fence ABORTED: Stop.;");
}

TEST(Fence, SignalAndFailMoveEveryPoint) {
  const Ref<Semaphore> a = NewSemaphore(5);
  const Ref<Semaphore> b = NewSemaphore();
  const Ref<Fence> fence = Fence::ForPoint(a, 4);
  fence->Insert(b, 1);
  EXPECT_EQ(StatusText(fence->Signal()),
            "INVALID_ARGUMENT: A semaphore cannot be signalled to 4; it is at "
            "5 and only rises.");
  EXPECT_EQ(*b->Query(), 1u);
  fence->Fail(absl::AbortedError("Stop."));
  EXPECT_EQ(StatusText(a->Query()), "ABORTED: Stop.");
  EXPECT_EQ(StatusText(b->Query()), "ABORTED: Stop.");
}

TEST(Fence, NobodyWaitsForWhatNothingCanSignal) {
  constexpr char kWant[] =
      "FAILED_PRECONDITION: The wait for the fence would never end: nothing is "
      "left that could signal it.";
  Ref<Semaphore> held = NewSemaphore();
  const Ref<Fence> fence = Fence::ForPoint(held, 1);
  fence->Insert(NewSemaphore(), 1);
  EXPECT_EQ(StatusText(fence->Wait(Deadline::Never())), kWant);
  EXPECT_EQ(StatusText(fence->Wait(Deadline::Passed())),
            "DEADLINE_EXCEEDED: The fence of 2 points was not reached in "
            "time.");
  // A reached fence needs no signaller.
  EXPECT_TRUE(fence->Signal().ok());
  EXPECT_EQ(StatusText(fence->Wait(Deadline::Never())), "OK");
  // Another thread holds the semaphore, then releases it.
  const Ref<Fence> next = Fence::ForPoint(held, 2);
  std::thread signaller([semaphore = std::move(held)] {
    absl::SleepFor(absl::Milliseconds(5));
    EXPECT_TRUE(semaphore->Signal(2).ok());
  });
  EXPECT_EQ(StatusText(next->Wait(Deadline::Never())), "OK");
  signaller.join();
}

// Cases of used fences: whether the next fence reuses them, and whether it is
// then not yet reached.
TEST(FenceStore, KeepsFencesThatAreOver) {
  using Use = void (*)(const Ref<Fence>&, Ref<Semaphore>&);
  const struct {
    const char* name;
    Use use;
    bool kept;
  } kCases[] = {
      {"reached", [](auto& fence, auto&) { (void)fence->Signal(); }, true},
      {"reached beyond",
       [](auto& fence, auto&) {
         (void)fence->points()[0].semaphore->Signal(7);
       },
       true},
      {"not reached", [](auto&, auto&) {}, false},
      {"failed",
       [](auto& fence, auto&) { fence->Fail(absl::AbortedError("Stop.")); },
       false},
      {"its timeline held",
       [](auto& fence, auto& held) {
         (void)fence->Signal();
         held = fence->points()[0].semaphore;
       },
       false},
      {"of two points",
       [](auto& fence, auto&) {
         fence->Insert(NewSemaphore(), 1);
         (void)fence->Signal();
       },
       false},
      {"waited for beyond",
       [](auto& fence, auto&) {
         (void)fence->Signal();
         fence->points()[0].semaphore->OnReached(9, [](const auto&) {});
       },
       false},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const Ref<FenceStore> store = MakeRef<FenceStore>();
    Ref<Semaphore> held;
    Ref<Fence> fence = Fence::ForPoint(NewSemaphore(), 1);
    fence->ReturnTo(store);
    const Fence* const was = fence.get();
    c.use(fence, held);
    fence.reset();
    const Ref<Fence> next = store->Take();
    ASSERT_EQ(next.get(), c.kept ? was : nullptr);
    if (c.kept) {
      EXPECT_FALSE(*next->Query());
      EXPECT_TRUE(next->Signal().ok());
      EXPECT_TRUE(*next->Query());
    }
    store->Close();
  }
}

TEST(FenceStore, KeepsNothingOnceClosed) {
  const Ref<FenceStore> store = MakeRef<FenceStore>();
  const auto finish = [&] {
    const Ref<Fence> fence = Fence::ForPoint(NewSemaphore(), 1);
    fence->ReturnTo(store);
    EXPECT_TRUE(fence->Signal().ok());
  };
  finish();
  store->Close();
  EXPECT_EQ(store->Take(), nullptr);
  finish();
  EXPECT_EQ(store->Take(), nullptr);
}

// Threads create, signal and release fences while the store is closed. Each
// fence belongs to one thread at a time, and none leaks (checked by the
// sanitizers).
TEST(FenceStore, ManyThreads) {
  const Ref<FenceStore> store = MakeRef<FenceStore>();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 5000; ++turn) {
        Ref<Fence> fence = store->Take();
        if (!fence) {
          fence = Fence::ForPoint(NewSemaphore(), 1);
          fence->ReturnTo(store);
        }
        EXPECT_FALSE(*fence->Query());
        EXPECT_TRUE(fence->Signal().ok());
      }
    });
  }
  absl::SleepFor(absl::Milliseconds(1));
  store->Close();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store->Take(), nullptr);
}

TEST(Fence, ManyThreads) {
  constexpr int kPoints = 8;
  std::vector<Ref<Semaphore>> semaphores;
  const Ref<Fence> fence = MakeRef<Fence>();
  for (int i = 0; i < kPoints; ++i) {
    semaphores.push_back(NewSemaphore());
    fence->Insert(semaphores.back(), 10);
  }
  std::atomic<int> callbacks{0};
  for (int i = 0; i < 3; ++i) {
    fence->OnReached([&](const absl::Status&) { ++callbacks; });
  }
  std::vector<std::thread> threads;
  for (const Ref<Semaphore>& semaphore : semaphores) {
    threads.emplace_back([&semaphore] {
      for (int value = 1; value <= 10; ++value) {
        EXPECT_TRUE(semaphore->Signal(value).ok());
      }
    });
  }
  EXPECT_EQ(StatusText(fence->Wait(Deadline::Never())), "OK");
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(callbacks, 3);
}

}  // namespace
}  // namespace eyrie::hal
