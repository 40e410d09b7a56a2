// Tests decoding and planning: all kinds and all errors.
#include "hal/collectives/collective.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::hal {
namespace {

TEST(Collective, Decodes) {
  const struct {
    uint32_t packed;
    const char* want;
  } kCases[] = {
      {0x000000, "all-gather of i8"},
      {0x090101, "all-reduce sum of f32"},
      {0x0A0201, "all-reduce product of f64"},
      {0x010302, "all-to-all of u8"},  // its reduction is dropped
      {0x020003, "broadcast of i16"},
      {0x030304, "reduce minimum of u16"},
      {0x040405, "reduce-scatter maximum of i32"},
      {0x050006, "send of u32"},
      {0x060007, "receive of i64"},
      {0x070008, "send-receive of u64"},
      {0x080501, "all-reduce average of f16"},
      {0x0B0101, "all-reduce sum of bf16"},
      {0x090001,
       "INVALID_ARGUMENT: The collective 'all-reduce' needs a reduction."},
      {0x090009,
       "INVALID_ARGUMENT: A collective's kind (9) exceeds the last known one "
       "(8)."},
      {0x090601,
       "INVALID_ARGUMENT: A collective's reduction (6) exceeds the last known "
       "one (5)."},
      {0x100101,
       "INVALID_ARGUMENT: A collective's element type (16) exceeds the last "
       "known one (15)."},
      {0x01090101,
       "INVALID_ARGUMENT: A collective's reserved byte is 1, not 0."},
      {0x0D0000,
       "UNIMPLEMENTED: Collectives of f8E4M3FN are not supported "
       "(all-gather)."},
      {0x0F0101,
       "UNIMPLEMENTED: Collectives of f8E4M3FNUZ are not supported "
       "(all-reduce)."},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<CollectiveOp> op = DecodeCollective(c.packed);
    EXPECT_EQ(op.ok() ? CollectiveText(*op) : StatusText(op), c.want);
  }
}

std::string PlanText(const absl::StatusOr<CollectivePlan>& plan) {
  if (!plan.ok()) return StatusText(plan);
  std::string text = absl::StrCat(plan->send_bytes, "->", plan->receive_bytes);
  if (plan->block_bytes) absl::StrAppend(&text, " by ", plan->block_bytes);
  if (plan->root != kNoRank) absl::StrAppend(&text, " root ", plan->root);
  if (plan->target != kNoRank) absl::StrAppend(&text, " to ", plan->target);
  if (plan->source != kNoRank) absl::StrAppend(&text, " from ", plan->source);
  return text;
}

// Plans for rank 1 of 4, with f32.
TEST(Collective, Plans) {
  constexpr std::optional<uint64_t> kUnknown;
  constexpr uint64_t kMuch = uint64_t{1} << 62;
  const struct {
    CollectiveKind kind;
    uint32_t param;
    uint64_t count;
    std::optional<uint64_t> send;
    std::optional<uint64_t> receive;
    const char* want;
  } kCases[] = {
      // The count of an all-gather is one rank's, or the total.
      {CollectiveKind::kAllGather, 0, 2, 8, 32, "8->32 by 8"},
      {CollectiveKind::kAllGather, 0, 8, 8, 32, "8->32 by 8"},
      {CollectiveKind::kAllGather, 0, 2, kUnknown, kUnknown, "8->32 by 8"},
      {CollectiveKind::kAllGather, 0, 6, 8, 32,
       "OUT_OF_RANGE: The send range has 8 bytes; its elements take 24. "
       "(all-gather of f32)"},
      {CollectiveKind::kAllGather, 0, 8, 4, 32,
       "OUT_OF_RANGE: The send range has 4 bytes; its elements take 8. "
       "(all-gather of f32)"},
      {CollectiveKind::kAllGather, 0, 0, 0, 0, "0->0"},
      {CollectiveKind::kAllReduce, 0, 3, 12, 12, "12->12"},
      {CollectiveKind::kAllReduce, 0, 3, 16, 64, "12->12"},
      {CollectiveKind::kAllReduce, 0, 3, 8, 12,
       "OUT_OF_RANGE: The send range has 8 bytes; its elements take 12. "
       "(all-reduce sum of f32)"},
      {CollectiveKind::kAllReduce, 0, kMuch, kUnknown, kUnknown,
       "OUT_OF_RANGE: The bytes of 4611686018427387904 elements of f32 "
       "overflow. (all-reduce sum of f32)"},
      {CollectiveKind::kAllToAll, 0, 8, 32, 32, "32->32 by 8"},
      {CollectiveKind::kAllToAll, 0, 6, 32, 32,
       "INVALID_ARGUMENT: The 6 elements are not a multiple of the channel's "
       "4 ranks. (all-to-all of f32)"},
      {CollectiveKind::kBroadcast, 0, 2, 0, 8, "0->8 root 0"},
      {CollectiveKind::kBroadcast, 1, 2, 8, 0, "8->0 root 1"},
      {CollectiveKind::kBroadcast, 1, 2, 8, 8, "8->8 root 1"},
      {CollectiveKind::kBroadcast, 4, 2, 8, 8,
       "INVALID_ARGUMENT: The root (rank 4) is past the channel's last rank "
       "(3). (broadcast of f32)"},
      {CollectiveKind::kReduce, 1, 2, 8, 8, "8->8 root 1"},
      {CollectiveKind::kReduce, 2, 2, 8, 0, "8->0 root 2"},
      {CollectiveKind::kReduceScatter, 0, 2, 32, 8, "32->8 by 8"},
      {CollectiveKind::kReduceScatter, 0, 2, 16, 8,
       "OUT_OF_RANGE: The send range has 16 bytes; its elements take 32. "
       "(reduce-scatter sum of f32)"},
      {CollectiveKind::kReduceScatter, 0, kMuch / 4, kUnknown, kUnknown,
       "OUT_OF_RANGE: The bytes of 1152921504606846976 elements of f32 of 4 "
       "ranks overflow. (reduce-scatter sum of f32)"},
      {CollectiveKind::kSend, 3, 2, 8, 0, "8->0 to 3"},
      {CollectiveKind::kReceive, 2, 2, 0, 8, "0->8 from 2"},
      {CollectiveKind::kReceive, 9, 2, 0, 8,
       "INVALID_ARGUMENT: The source (rank 9) is past the channel's last rank "
       "(3). (receive of f32)"},
      {CollectiveKind::kSend, 1, 2, 8, 0,
       "INVALID_ARGUMENT: Rank 1 would only send to itself, or only receive "
       "from itself. "
       "(send of f32)"},
      {CollectiveKind::kSendReceive, 0x00000002, 2, 8, 8, "8->8 to 2 from 0"},
      {CollectiveKind::kSendReceive, 0xFFFF0002, 2, 8, 8, "8->8 to 2"},
      {CollectiveKind::kSendReceive, 0x0002FFFF, 2, 0, 8, "0->8 from 2"},
      {CollectiveKind::kSendReceive, 0xFFFFFFFF, 2, 0, 8, "0->8"},
      {CollectiveKind::kSendReceive, 0x00010001, 2, 8, 8, "8->8 to 1 from 1"},
      {CollectiveKind::kSendReceive, 0x00010002, 2, 8, 8,
       "INVALID_ARGUMENT: Rank 1 would only send to itself, or only receive "
       "from itself. "
       "(send-receive of f32)"},
      {CollectiveKind::kSendReceive, 0x00000004, 2, 8, 8,
       "INVALID_ARGUMENT: The target (rank 4) is past the channel's last rank "
       "(3). (send-receive of f32)"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(absl::StrCat("row ", &c - kCases));
    const CollectiveOp op = {c.kind,
                             Reduces(c.kind) ? CollectiveReduction::kSum
                                             : CollectiveReduction::kNone,
                             CollectiveType::kFloat32};
    EXPECT_EQ(PlanText(PlanCollective(op, {c.param, c.count, c.send, c.receive},
                                      1, 4)),
              c.want);
  }
}

}  // namespace
}  // namespace eyrie::hal
