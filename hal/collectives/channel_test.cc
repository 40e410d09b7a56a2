// Tests the channel of a single rank.
#include "hal/collectives/channel.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::hal {
namespace {

absl::Status GoOn() { return absl::OkStatus(); }

// Runs a collective of i8 that sends 1, 2, 3, 4 into 9, 9, 9, 9.
std::string RunOn(Channel& channel, uint32_t packed, uint32_t param) {
  const absl::StatusOr<CollectiveOp> op = DecodeCollective(packed);
  if (!op.ok()) return StatusText(op);
  const absl::StatusOr<CollectivePlan> plan =
      PlanCollective(*op, {param, 4, 4, 4}, channel.rank(), channel.count());
  if (!plan.ok()) return StatusText(plan);
  const std::vector<uint8_t> send = {1, 2, 3, 4};
  std::vector<uint8_t> receive = {9, 9, 9, 9};
  std::string status;
  channel.Start(
      *plan,
      {{send.data(), plan->send_bytes}, {receive.data(), plan->receive_bytes}},
      nullptr, [&](const absl::Status& s) { status = StatusText(s); });
  return absl::StrCat(status, " ", absl::StrJoin(receive, " "));
}

TEST(SelfChannel, RunsEveryKind) {
  const struct {
    uint32_t packed;
    uint32_t param;
    const char* want;
  } kCases[] = {
      {0x000000, 0, "OK 1 2 3 4"},
      {0x000101, 0, "OK 1 2 3 4"},
      {0x000201, 0, "OK 1 2 3 4"},
      {0x000501, 0, "OK 1 2 3 4"},
      {0x000002, 0, "OK 1 2 3 4"},
      {0x000003, 0, "OK 1 2 3 4"},
      {0x000304, 0, "OK 1 2 3 4"},
      {0x000405, 0, "OK 1 2 3 4"},
      {0x000006, 0,
       "INVALID_ARGUMENT: Rank 0 would only send to itself, or only receive "
       "from itself. "
       "(send of i8)"},
      {0x000007, 1,
       "INVALID_ARGUMENT: The source (rank 1) is past the channel's last rank "
       "(0). (receive of i8)"},
      {0x000008, 0, "OK 1 2 3 4"},
      {0x000008, 0xFFFFFFFF, "OK 0 0 0 0"},
  };
  const Ref<Channel> channel = *CreateSelfProvider()->Create({}, GoOn);
  EXPECT_EQ(channel->rank(), 0);
  EXPECT_EQ(channel->count(), 1);
  for (const auto& c : kCases) {
    EXPECT_EQ(RunOn(*channel, c.packed, c.param), c.want);
  }
}

TEST(SelfChannel, SplitsAndFails) {
  const Ref<Channel> channel = *CreateSelfProvider()->Create({}, GoOn);
  EXPECT_FALSE(*channel->Split(-1, 0, GoOn));
  const Ref<Channel> part = *channel->Split(5, 0, GoOn);
  EXPECT_EQ(part->count(), 1);
  part->Fail(absl::DataLossError("gone"));
  part->Fail(absl::InternalError("later"));
  EXPECT_EQ(RunOn(*part, 0x000000, 0), "DATA_LOSS: gone 9 9 9 9");
  EXPECT_EQ(RunOn(*channel, 0x000000, 0), "OK 1 2 3 4");
}

TEST(SelfChannel, IsAlone) {
  const struct {
    int32_t rank;
    int32_t count;
    const char* want;
  } kCases[] = {
      {kNoRank, -1, "OK"},
      {0, 1, "OK"},
      {0, 2,
       "INVALID_ARGUMENT: A channel with rank 0 and 2 ranks was requested; "
       "this process is rank 0 of 1; use --collectives for more ranks."},
      {1, -1,
       "INVALID_ARGUMENT: A channel with rank 1 and -1 ranks was requested; "
       "this process is rank 0 of 1; use --collectives for more ranks."},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(
        StatusText(CreateSelfProvider()->Create({"", c.rank, c.count}, GoOn)),
        c.want);
  }
}

}  // namespace
}  // namespace eyrie::hal
