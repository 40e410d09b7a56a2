// Deadlines: overflow of sums, and independence of the system's time.
#include "base/deadline.h"

#include <time.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <thread>

#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "tests/support/jumping_clock.h"

namespace eyrie {
namespace {

constexpr absl::Duration kMax =
    absl::Nanoseconds(std::numeric_limits<int64_t>::max());

TEST(Deadline, Saturates) {
  const Deadline now = Deadline::Now();
  const struct {
    Deadline deadline;
    bool is_never;
    bool has_passed;
  } cases[] = {
      {Deadline(), true, false},
      {Deadline::Never(), true, false},
      {Deadline::Passed(), false, true},
      {now, false, true},
      {now.Plus(absl::Seconds(1)).Plus(-absl::Seconds(2)), false, true},
      {now.Plus(absl::Hours(1)), false, false},
      {now.Plus(absl::Hours(24 * 365 * 100)), false, false},
      {now.Plus(kMax), true, false},
      {now.Plus(absl::InfiniteDuration()), true, false},
      {now.Plus(-kMax), false, true},
      {now.Plus(-absl::InfiniteDuration()), false, true},
      {Deadline::Never().Plus(-absl::Hours(1)), true, false},
      {Deadline::Passed().Plus(kMax), false, true},
      {Deadline::After(kMax), true, false},
      {Deadline::After(absl::InfiniteDuration()), true, false},
      {Deadline::After(absl::ZeroDuration()), false, true},
      {Deadline::After(absl::Hours(1)), false, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(&c - cases);
    EXPECT_EQ(c.deadline.IsNever(), c.is_never);
    EXPECT_EQ(c.deadline.HasPassed(), c.has_passed);
    EXPECT_EQ(c.deadline.Left() > absl::ZeroDuration(), !c.has_passed);
    EXPECT_EQ(c.deadline.Left() == absl::InfiniteDuration(), c.is_never);
    EXPECT_LE(c.deadline, Deadline::Never());
    EXPECT_GE(c.deadline, Deadline::Passed());
  }
  EXPECT_EQ(now.Plus(absl::Seconds(3)) - now, absl::Seconds(3));
}

struct Wait {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;

  bool Until(Deadline deadline) {
    std::unique_lock<std::mutex> lock(mutex);
    return WaitUntil(changed, lock, deadline, [this] { return done; });
  }
};

TEST(Deadline, EndsWaits) {
  Wait wait;
  EXPECT_FALSE(wait.Until(Deadline::Passed()));
  EXPECT_FALSE(wait.Until(Deadline::Now()));
  const Deadline soon = Deadline::After(absl::Milliseconds(2));
  EXPECT_FALSE(wait.Until(soon));
  EXPECT_TRUE(soon.HasPassed());
  for (const absl::Duration time :
       {absl::InfiniteDuration(), kMax, kMax - absl::Hours(1),
        absl::Hours(24 * 365 * 200)}) {
    SCOPED_TRACE(absl::FormatDuration(time));
    wait.done = false;
    std::thread other([&] {
      absl::SleepFor(absl::Milliseconds(2));
      std::lock_guard<std::mutex> lock(wait.mutex);
      wait.done = true;
      wait.changed.notify_all();
    });
    EXPECT_TRUE(wait.Until(Deadline::After(time)));
    other.join();
  }
}

TEST(Deadline, DoesNotMoveWithTheWallClock) {
  const tests::JumpingClock clock;
  const Deadline late = Deadline::After(absl::Minutes(10));
  for (int i = 0; i < 5; ++i) {
    Wait wait;
    EXPECT_FALSE(wait.Until(Deadline::After(absl::Milliseconds(1))));
    EXPECT_FALSE(late.HasPassed());
    EXPECT_GT(late.Left(), absl::Minutes(1));
    EXPECT_LE(late.Left(), absl::Minutes(10));
  }
  EXPECT_EQ(clock.reads(), 0);
  // The system's time does jump during this test.
  const time_t before = time(nullptr);
  while (std::abs(time(nullptr) - before) < 3600) {
  }
  EXPECT_GE(clock.reads(), 2);
}

}  // namespace
}  // namespace eyrie
