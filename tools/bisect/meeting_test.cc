// Tests how two threads meet.
#include "tools/bisect/meeting.h"

#include <atomic>
#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

class NoExecutable final : public hal::Executable {
 public:
  std::span<const hal::ExportInfo> exports() const override { return {}; }
};

class MeetingTest : public testing::Test {
 protected:
  absl::Status Meet(SideOf side, absl::Status outcome = absl::OkStatus()) {
    return meeting_.Meet(side, dispatch_, [&](const auto&, const auto&) {
      ++compared_;
      return outcome;
    });
  }

  std::atomic<bool> stop_ = false;
  Meeting meeting_{stop_};
  const Ref<NoExecutable> executable_ = MakeRef<NoExecutable>();
  const hal::ObservedDispatch dispatch_ = {*executable_, 0, {}, {}, {}};
  int compared_ = 0;
};

TEST_F(MeetingTest, EachPairIsComparedOnce) {
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(Meet(SideOf::kGood).ok());
  });
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(Meet(SideOf::kBad).ok());
  other.join();
  EXPECT_EQ(compared_, 1000);
}

TEST_F(MeetingTest, AnErrorFailsBoth) {
  std::thread other([&] {
    EXPECT_TRUE(absl::IsAborted(Meet(SideOf::kGood, absl::AbortedError("no"))));
  });
  EXPECT_TRUE(absl::IsAborted(Meet(SideOf::kBad, absl::AbortedError("no"))));
  other.join();
}

TEST_F(MeetingTest, NobodyWaitsForASideThatHasLeft) {
  std::thread other([&] { meeting_.Leave(SideOf::kGood); });
  EXPECT_TRUE(Meet(SideOf::kBad).ok());
  other.join();
  EXPECT_TRUE(meeting_.HasLeft(SideOf::kGood));
  EXPECT_TRUE(Meet(SideOf::kBad).ok());
  EXPECT_EQ(compared_, 0);
}

TEST_F(MeetingTest, StopEndsTheWait) {
  std::thread other([&] { stop_ = true; });
  EXPECT_TRUE(absl::IsCancelled(Meet(SideOf::kBad)));
  other.join();
}

}  // namespace
}  // namespace eyrie::tools
