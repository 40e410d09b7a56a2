// Timers: order, removal, and their end.
#include "vm/timer.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace eyrie::vm {
namespace {

// Happens once. Abseil's is no help: ThreadSanitizer does not see into it.
class Event {
 public:
  void Notify() {
    std::lock_guard<std::mutex> lock(mutex_);
    happened_ = true;
    changed_.notify_all();
  }
  // False: not within half a minute.
  bool Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30),
                             [this] { return happened_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool happened_ = false;
};

TEST(Timer, RunsWhatIsDueInOrder) {
  Timer timer;
  std::string order;  // the timer's thread's, until the notification
  Event done;
  const absl::Time now = absl::Now();
  timer.Add(now + absl::Milliseconds(30), [&] { order += "c"; });
  timer.Add(now + absl::Milliseconds(20), [&] { order += "b"; });
  timer.Add(absl::InfinitePast(), [&] { order += "a"; });
  timer.Add(now + absl::Milliseconds(40), [&] { done.Notify(); });
  ASSERT_TRUE(done.Wait());
  EXPECT_EQ(order, "abc");
  EXPECT_GE(absl::Now(), now + absl::Milliseconds(40));
}

TEST(Timer, DoesNotRunWhatIsRemoved) {
  Timer timer;
  std::atomic<int> runs = 0;
  for (int i = 0; i < 1000; ++i) {
    // Some run, some are removed before; none runs after its removal.
    auto alive = std::make_unique<std::atomic<bool>>(true);
    const Timer::Id id = timer.Add(absl::Now(), [&runs, &alive = *alive] {
      if (alive) ++runs;
    });
    timer.Remove(id);
    alive = nullptr;
  }
  EXPECT_LE(runs, 1000);
  const Timer::Id id = timer.Add(absl::Now() + absl::Hours(1), [&] { ++runs; });
  timer.Remove(id);
  timer.Remove(id);
}

TEST(Timer, MayRemoveItselfAndAddMore) {
  Timer timer;
  Event done;
  Timer::Id id;
  Event added;
  id = timer.Add(absl::Now(), [&] {
    added.Wait();
    timer.Remove(id);
    timer.Add(absl::Now(), [&] { done.Notify(); });
  });
  added.Notify();
  EXPECT_TRUE(done.Wait());
}

TEST(Timer, EndsWithoutWaitingForWhatIsLeft) {
  const absl::Time begin = absl::Now();
  auto kept = std::make_shared<int>(1);
  {
    Timer timer;
    timer.Add(absl::Now() + absl::Hours(1), [kept] {});
    EXPECT_EQ(kept.use_count(), 2);
  }
  EXPECT_EQ(kept.use_count(), 1);
  EXPECT_LT(absl::Now() - begin, absl::Minutes(1));
}

}  // namespace
}  // namespace eyrie::vm
