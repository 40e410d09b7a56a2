// Units that are taken and returned, and the reasons of stops.
#include "base/work_budget.h"

#include <memory>

#include "absl/time/time.h"
#include "base/deadline.h"
#include "gtest/gtest.h"

namespace eyrie {
namespace {

TEST(WorkBudgetTest, UnlimitedUntilItIsLimited) {
  WorkBudget budget;
  EXPECT_EQ(budget.Take(1000), 1000);
  budget.Give(1000);
  EXPECT_EQ(budget.Take(WorkBudget::kUnlimited), WorkBudget::kUnlimited);
}

TEST(WorkBudgetTest, GivesWhatIsLeft) {
  WorkBudget budget;
  budget.Refill(10);
  EXPECT_EQ(budget.Take(4), 4);
  EXPECT_EQ(budget.Take(8), 6);
  EXPECT_FALSE(budget.refused());
  EXPECT_EQ(budget.Take(1), 0);
  EXPECT_TRUE(budget.refused());
  EXPECT_EQ(budget.StopReason().code(), absl::StatusCode::kResourceExhausted);
  budget.Give(3);
  EXPECT_EQ(budget.Take(8), 3);
  budget.Refill(10);
  EXPECT_TRUE(budget.refused());
}

// The largest limit stays a limit.
TEST(WorkBudgetTest, NeverBecomesUnlimited) {
  WorkBudget budget;
  budget.Refill(WorkBudget::kUnlimited - 1);
  budget.Give(5);
  EXPECT_EQ(budget.Take(WorkBudget::kUnlimited), WorkBudget::kUnlimited - 1);
  EXPECT_EQ(budget.Take(1), 0);
}

TEST(WorkBudgetTest, EndsByItsDeadline) {
  const auto whole = std::make_shared<WorkBudget>(absl::Seconds(3));
  WorkBudget budget(absl::Seconds(2), 100, whole);
  budget.EndBy(Deadline::After(absl::Hours(1)));
  EXPECT_EQ(budget.Take(10), 10);
  budget.EndBy(Deadline::Passed());
  EXPECT_FALSE(budget.refused());  // nothing was asked for
  EXPECT_EQ(budget.Take(10), 0);
  EXPECT_TRUE(budget.refused());
  budget.EndBy(Deadline::Never());
  EXPECT_TRUE(budget.stopped());
  EXPECT_EQ(budget.StopReason().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_FALSE(whole->stopped());
  whole->EndBy(Deadline::Passed());
  EXPECT_TRUE(WorkBudget(absl::Seconds(2), 100, whole).stopped());
}

TEST(WorkBudgetTest, StopsForTheFirstReason) {
  const struct {
    absl::StatusCode first, second;
  } kCases[] = {
      {absl::StatusCode::kDeadlineExceeded, absl::StatusCode::kCancelled},
      {absl::StatusCode::kCancelled, absl::StatusCode::kDeadlineExceeded},
  };
  for (const auto& c : kCases) {
    WorkBudget budget;
    EXPECT_FALSE(budget.stopped());
    budget.Stop(c.first);
    budget.Stop(c.second);
    EXPECT_TRUE(budget.stopped());
    budget.Refill(10);
    EXPECT_EQ(budget.Take(1), 0);
    EXPECT_EQ(budget.StopReason().code(), c.first);
  }
}

TEST(WorkBudgetTest, SaysWhatTheLimitWas) {
  WorkBudget spent;
  spent.Refill(7);
  EXPECT_TRUE(spent.Pay(6).ok());
  EXPECT_FALSE(spent.refused());
  EXPECT_EQ(spent.Pay(2).ToString(),
            "RESOURCE_EXHAUSTED: The device's work for the call takes more "
            "than 7 units of fuel, its limit.");
  EXPECT_TRUE(spent.refused());
  WorkBudget late(absl::Seconds(2));
  late.Stop(absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(late.Pay(1).ToString(),
            "DEADLINE_EXCEEDED: The device's work is stopped: the call takes "
            "longer than its limit of time (2s).");
  EXPECT_FALSE(late.refused());
  WorkBudget cancelled;
  cancelled.Stop(absl::StatusCode::kCancelled);
  EXPECT_EQ(cancelled.Pay(1).ToString(),
            "CANCELLED: The device's work is stopped: the call is cancelled.");
}

}  // namespace
}  // namespace eyrie
