// Timers: order, removal, and their end.
#include "vm/timer.h"

#include <atomic>
#include <memory>
#include <string>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace eyrie::vm {
namespace {

TEST(Timer, RunsWhatIsDueInOrder) {
  Timer timer;
  std::string order;  // the timer's thread's, until the notification
  absl::Notification done;
  const absl::Time now = absl::Now();
  timer.Add(now + absl::Milliseconds(30), [&] { order += "c"; });
  timer.Add(now + absl::Milliseconds(20), [&] { order += "b"; });
  timer.Add(absl::InfinitePast(), [&] { order += "a"; });
  timer.Add(now + absl::Milliseconds(40), [&] { done.Notify(); });
  ASSERT_TRUE(done.WaitForNotificationWithTimeout(absl::Seconds(30)));
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
  absl::Notification done;
  Timer::Id id;
  absl::Notification added;
  id = timer.Add(absl::Now(), [&] {
    added.WaitForNotification();
    timer.Remove(id);
    timer.Add(absl::Now(), [&] { done.Notify(); });
  });
  added.Notify();
  EXPECT_TRUE(done.WaitForNotificationWithTimeout(absl::Seconds(30)));
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
