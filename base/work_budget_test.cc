// Units taken, given back and gone; stops and their reasons.
#include "base/work_budget.h"

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
  EXPECT_EQ(budget.Take(1), 0);
  EXPECT_EQ(budget.StopReason().code(), absl::StatusCode::kResourceExhausted);
  budget.Give(3);
  EXPECT_EQ(budget.Take(8), 3);
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

}  // namespace
}  // namespace eyrie
