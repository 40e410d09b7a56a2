// Alarms: order, stopping, forks, and the thread that they share.
#include "base/alarm.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"
#include "tests/support/thread_limit.h"

// By default, ThreadSanitizer ends forked children that start threads.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }

namespace eyrie {
namespace {

// A one-time event. Not absl::Notification, which is opaque to
// ThreadSanitizer.
class Event {
 public:
  void Notify() {
    std::lock_guard<std::mutex> lock(mutex_);
    happened_ = true;
    changed_.notify_all();
  }
  // Returns false if the event does not happen within a minute.
  bool Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    return WaitUntil(changed_, lock, Deadline::After(absl::Minutes(1)),
                     [this] { return happened_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool happened_ = false;
};

std::unique_ptr<Alarm> Create(Alarm::Callback callback) {
  auto alarm = Alarm::Create(std::move(callback));
  EXPECT_TRUE(alarm.ok()) << alarm.status();
  return alarm.ok() ? *std::move(alarm) : nullptr;
}

void Set(Alarm& alarm, absl::Duration after) {
  EXPECT_EQ(StatusText(alarm.Set(Deadline::After(after))), "OK");
}

TEST(Alarm, RingsInOrder) {
  std::string order;  // used by the clock's thread until the notification
  Event done;
  const auto a = Create([&] { order += "a"; });
  const auto b = Create([&] { order += "b"; });
  const auto c = Create([&] { order += "c"; });
  const auto last = Create([&] { done.Notify(); });
  const Deadline end = Deadline::After(absl::Milliseconds(40));
  Set(*c, absl::Milliseconds(30));
  Set(*b, absl::Milliseconds(20));
  EXPECT_TRUE(a->Set(Deadline::Passed()).ok());
  EXPECT_TRUE(last->Set(end).ok());
  ASSERT_TRUE(done.Wait());
  EXPECT_EQ(order, "abc");
  EXPECT_TRUE(end.HasPassed());
}

TEST(Alarm, CountsTheLastSettingAlone) {
  // Sets it earlier, later, stops it, and sets it again.
  std::atomic<int> rings = 0;
  Event done;
  const auto alarm = Create([&] { ++rings; });
  Set(*alarm, absl::Hours(1));
  Set(*alarm, absl::Milliseconds(1));
  Set(*alarm, absl::Hours(2));
  EXPECT_TRUE(alarm->Set(Deadline::Never()).ok());
  Set(*alarm, absl::InfiniteDuration());
  const auto last = Create([&] { done.Notify(); });
  Set(*last, absl::Milliseconds(30));
  ASSERT_TRUE(done.Wait());
  alarm->Stop();
  EXPECT_EQ(rings, 0);
  for (int i = 1; i <= 3; ++i) {
    Event rung;
    const auto again = Create([&] { rung.Notify(); });
    Set(*again, absl::Hours(1));
    Set(*again, absl::ZeroDuration());
    EXPECT_TRUE(rung.Wait()) << i;
  }
}

TEST(Alarm, DoesNotRingOnceItIsStopped) {
  for (int i = 0; i < 1000; ++i) {
    auto alive = std::make_unique<std::atomic<bool>>(true);
    const auto alarm = Create([&alive = *alive] { EXPECT_TRUE(alive); });
    Set(*alarm, absl::Microseconds(i % 3));
    alarm->Stop();
    alive = nullptr;
    alarm->Stop();
  }
}

TEST(Alarm, StopWaitsForTheCallbackOfAnEarlierSetting) {
  Event busy;
  std::atomic<bool> ended = false;
  const auto alarm = Create([&] {
    busy.Notify();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ended = true;
  });
  Set(*alarm, absl::ZeroDuration());
  ASSERT_TRUE(busy.Wait());
  Set(*alarm, absl::Hours(1));
  alarm->Stop();
  EXPECT_TRUE(ended);
}

TEST(Alarm, MayStopOrFreeItselfAndMakeMore) {
  Event set, done;
  std::unique_ptr<Alarm> alarm, other;
  alarm = Create([&] {
    set.Wait();
    alarm->Stop();
    alarm = nullptr;  // the last alarm, so the thread ends
    other = Create([&] { done.Notify(); });
    Set(*other, absl::ZeroDuration());
  });
  Set(*alarm, absl::ZeroDuration());
  set.Notify();
  EXPECT_TRUE(done.Wait());
}

TEST(Alarm, EndsWithoutWaitingForItsDeadline) {
  auto kept = std::make_shared<int>(1);
  {
    const auto alarm = Create([kept] {});
    Set(*alarm, absl::Hours(24 * 365 * 1000));
    EXPECT_EQ(kept.use_count(), 2);
  }
  EXPECT_EQ(kept.use_count(), 1);
}

TEST(Alarm, SharesOneThread) {
  const int before = tests::ThreadsStarted();
  for (int round = 1; round <= 2; ++round) {
    Event done;
    std::atomic<int> left = 1000;
    std::vector<std::unique_ptr<Alarm>> alarms;
    for (int i = 0; i < 1000; ++i) {
      alarms.push_back(Create([&] {
        if (--left == 0) done.Notify();
      }));
      Set(*alarms.back(), absl::Microseconds(10 * (i % 100)));
    }
    EXPECT_TRUE(done.Wait());
    alarms.clear();  // ends the thread
    EXPECT_EQ(tests::ThreadsStarted() - before, round);
  }
}

TEST(Alarm, NeedsAThread) {
  const tests::ThreadLimit none(0);
  EXPECT_EQ(StatusText(Alarm::Create([] {}).status()),
            "RESOURCE_EXHAUSTED: Cannot start a thread for limits of time: "
            "Resource temporarily unavailable.");
}

// Several threads create, set, stop and destroy alarms while others ring.
TEST(Alarm, TakesManyThreads) {
  std::atomic<int> rings = 0;
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([seed, &rings] {
      std::minstd_rand random(seed + 1);
      for (int i = 0; i < 100; ++i) {
        auto alive = std::make_unique<int>(1);
        const auto alarm = Create([&] { rings += *alive; });
        for (int j = 0; j < 10; ++j) {
          Set(*alarm, absl::Microseconds(random() % 200));
          if (random() % 3 == 0) std::this_thread::yield();
          if (random() % 2 == 0) alarm->Stop();
        }
        alarm->Stop();
        alive = nullptr;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Runs in a forked child. Returns its exit code, 0 if all is well.
int InChild(Alarm& alarm, Event& rung, bool may_start) {
  if (may_start) {
    if (!alarm.Set(Deadline::Now()).ok()) return 1;
    return rung.Wait() ? 0 : 2;
  }
  const tests::ThreadLimit none(0);
  const absl::Status set = alarm.Set(Deadline::After(absl::Hours(1)));
  return absl::IsResourceExhausted(set) ? 0 : 3;
}

TEST(Alarm, RingsInTheChildOfAForkToo) {
  for (const bool may_start : {true, false}) {
    SCOPED_TRACE(may_start);
    Event rung, busy, go_on;
    auto alarm = Create([&] { rung.Notify(); });
    Set(*alarm, absl::Hours(1));
    // The alarm thread is running a callback when the process forks.
    auto slow = Create([&] {
      busy.Notify();
      go_on.Wait();
    });
    Set(*slow, absl::ZeroDuration());
    ASSERT_TRUE(busy.Wait());
    const pid_t child = fork();
    if (child == 0) {
      const int failed = InChild(*alarm, rung, may_start);
      slow = nullptr;  // must not wait for the parent's thread
      alarm = nullptr;
      _exit(failed);
    }
    go_on.Notify();
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

}  // namespace
}  // namespace eyrie
