#include "hal/collectives/collective.h"

#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/checked_math.h"
#include "base/status_macros.h"

namespace eyrie::hal {
namespace {

struct Row {
  uint8_t value;
  const char* text;
  uint32_t bytes;
};

constexpr Row kKinds[] = {
#define COLLECTIVE_KIND(value, name, text) {value, text, 0},
#include "hal/collectives/collectives.def"
};
constexpr Row kReductions[] = {
#define COLLECTIVE_REDUCTION(value, name, text) {value, text, 0},
#include "hal/collectives/collectives.def"
};
constexpr Row kTypes[] = {
#define COLLECTIVE_TYPE(value, name, text, bytes) {value, text, bytes},
#include "hal/collectives/collectives.def"
};

template <size_t kCount>
constexpr bool IsDense(const Row (&rows)[kCount]) {
  for (size_t i = 0; i < kCount; ++i) {
    if (rows[i].value != i) return false;
  }
  return true;
}
static_assert(IsDense(kKinds) && IsDense(kReductions) && IsDense(kTypes));

const Row& RowOf(CollectiveKind kind) {
  return kKinds[static_cast<uint8_t>(kind)];
}
const Row& RowOf(CollectiveType type) {
  return kTypes[static_cast<uint8_t>(type)];
}

absl::Status UnknownPart(absl::string_view what, uint32_t value, size_t count) {
  return absl::InvalidArgumentError(
      absl::StrCat("A collective's ", what, " (", value,
                   ") exceeds the last known one (", count - 1, ")."));
}

// Computes a plan with checked sizes.
class Planner {
 public:
  Planner(const CollectiveOp& op, const CollectiveArguments& arguments,
          int rank, int ranks)
      : arguments_(arguments), rank_(rank), ranks_(ranks) {
    plan_.op = op;
    plan_.count = arguments.count;
  }

  absl::StatusOr<CollectivePlan> Plan();

 private:
  absl::Status PlanShares();
  absl::Status PlanAllGather();
  absl::Status PlanRooted();
  absl::Status PlanPeers();
  // Returns the bytes of `count` elements times `ranks`.
  absl::StatusOr<uint64_t> Bytes(uint64_t count, uint64_t ranks) const;
  absl::StatusOr<int32_t> Rank(absl::string_view what, uint32_t rank) const;
  // Returns the peer in 16 bits; kNoRank if all bits are set.
  absl::StatusOr<int32_t> Peer(absl::string_view what, uint32_t rank) const;
  absl::Status CheckLength(absl::string_view what, uint64_t needed,
                           std::optional<uint64_t> length) const;

  const CollectiveArguments& arguments_;
  const int rank_;
  const int ranks_;
  uint64_t bytes_ = 0;  // of `count` elements
  CollectivePlan plan_;
};

absl::StatusOr<uint64_t> Planner::Bytes(uint64_t count, uint64_t ranks) const {
  std::optional<uint64_t> bytes =
      CheckedMul(count, uint64_t{RowOf(plan_.op.type).bytes});
  if (bytes) bytes = CheckedMul(*bytes, ranks);
  if (bytes && *bytes <= uint64_t{INT64_MAX}) return *bytes;
  return absl::OutOfRangeError(absl::StrCat(
      "The bytes of ", count, " elements of ", RowOf(plan_.op.type).text,
      ranks > 1 ? absl::StrCat(" of ", ranks, " ranks") : "", " overflow."));
}

absl::StatusOr<int32_t> Planner::Rank(absl::string_view what,
                                      uint32_t rank) const {
  if (rank < static_cast<uint32_t>(ranks_)) return static_cast<int32_t>(rank);
  return absl::InvalidArgumentError(
      absl::StrCat("The ", what, " (rank ", rank,
                   ") is past the channel's last rank (", ranks_ - 1, ")."));
}

absl::StatusOr<int32_t> Planner::Peer(absl::string_view what,
                                      uint32_t rank) const {
  if (rank == 0xFFFF) return kNoRank;
  return Rank(what, rank);
}

absl::Status Planner::CheckLength(absl::string_view what, uint64_t needed,
                                  std::optional<uint64_t> length) const {
  if (!length || *length >= needed) [[likely]]
    return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrCat("The ", what, " range has ", *length,
                   " bytes; its elements take ", needed, "."));
}

absl::Status Planner::PlanAllGather() {
  const uint64_t ranks = static_cast<uint64_t>(ranks_);
  const std::optional<uint64_t> received = arguments_.receive_length;
  const absl::StatusOr<uint64_t> all = Bytes(plan_.count, ranks);
  plan_.block_bytes = bytes_;
  // If `count` elements of every rank fit, the count is per rank.
  const bool is_total = received && (!all.ok() || *received < *all) &&
                        *received >= bytes_ && plan_.count % ranks == 0;
  if (is_total) {
    plan_.block_bytes = bytes_ / ranks;
  } else {
    RETURN_IF_ERROR(all);
  }
  plan_.send_bytes = plan_.block_bytes;
  plan_.receive_bytes = plan_.block_bytes * ranks;
  return absl::OkStatus();
}

absl::Status Planner::PlanShares() {
  const uint64_t ranks = static_cast<uint64_t>(ranks_);
  if (plan_.op.kind == CollectiveKind::kReduceScatter) {
    plan_.block_bytes = bytes_;
    plan_.receive_bytes = bytes_;
    ASSIGN_OR_RETURN(plan_.send_bytes, Bytes(plan_.count, ranks));
    return absl::OkStatus();
  }
  plan_.send_bytes = bytes_;
  plan_.receive_bytes = bytes_;
  if (plan_.op.kind == CollectiveKind::kAllReduce) return absl::OkStatus();
  if (plan_.count % ranks != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The ", plan_.count, " elements are not a multiple of the channel's ",
        ranks_, " ranks."));
  }
  plan_.block_bytes = bytes_ / ranks;
  return absl::OkStatus();
}

absl::Status Planner::PlanRooted() {
  ASSIGN_OR_RETURN(plan_.root, Rank("root", arguments_.param));
  const bool is_root = plan_.root == rank_;
  if (plan_.op.kind == CollectiveKind::kReduce) {
    plan_.send_bytes = bytes_;
    plan_.receive_bytes = is_root ? bytes_ : 0;
    return absl::OkStatus();
  }
  plan_.send_bytes = is_root ? bytes_ : 0;
  // The root may omit its receive range.
  const bool receives = !is_root || arguments_.receive_length.value_or(0) != 0;
  plan_.receive_bytes = receives ? bytes_ : 0;
  return absl::OkStatus();
}

absl::Status Planner::PlanPeers() {
  const uint32_t param = arguments_.param;
  switch (plan_.op.kind) {
    case CollectiveKind::kSend: {
      ASSIGN_OR_RETURN(plan_.target, Rank("target", param));
      plan_.send_bytes = bytes_;
      break;
    }
    case CollectiveKind::kReceive: {
      ASSIGN_OR_RETURN(plan_.source, Rank("source", param));
      plan_.receive_bytes = bytes_;
      break;
    }
    default: {
      ASSIGN_OR_RETURN(plan_.target, Peer("target", param & 0xFFFF));
      ASSIGN_OR_RETURN(plan_.source, Peer("source", param >> 16));
      plan_.send_bytes = plan_.target == kNoRank ? 0 : bytes_;
      plan_.receive_bytes = bytes_;
      if ((plan_.target == rank_) == (plan_.source == rank_)) {
        return absl::OkStatus();
      }
    }
  }
  if (plan_.target != rank_ && plan_.source != rank_) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Rank ", rank_,
                   " would only send to itself, or only receive from itself."));
}

absl::StatusOr<CollectivePlan> Planner::Plan() {
  ASSIGN_OR_RETURN(bytes_, Bytes(plan_.count, 1));
  switch (plan_.op.kind) {
    case CollectiveKind::kAllGather:
      RETURN_IF_ERROR(PlanAllGather());
      break;
    case CollectiveKind::kAllReduce:
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kReduceScatter:
      RETURN_IF_ERROR(PlanShares());
      break;
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kReduce:
      RETURN_IF_ERROR(PlanRooted());
      break;
    case CollectiveKind::kSend:
    case CollectiveKind::kReceive:
    case CollectiveKind::kSendReceive:
      RETURN_IF_ERROR(PlanPeers());
      break;
  }
  RETURN_IF_ERROR(
      CheckLength("send", plan_.send_bytes, arguments_.send_length));
  RETURN_IF_ERROR(
      CheckLength("receive", plan_.receive_bytes, arguments_.receive_length));
  return plan_;
}

}  // namespace

absl::StatusOr<CollectiveOp> DecodeCollective(uint32_t packed) {
  const uint32_t kind = packed & 0xFF;
  const uint32_t reduction = packed >> 8 & 0xFF;
  const uint32_t type = packed >> 16 & 0xFF;
  const uint32_t reserved = packed >> 24;
  if (kind >= std::size(kKinds)) {
    return UnknownPart("kind", kind, std::size(kKinds));
  }
  if (reduction >= std::size(kReductions)) {
    return UnknownPart("reduction", reduction, std::size(kReductions));
  }
  if (type >= std::size(kTypes)) {
    return UnknownPart("element type", type, std::size(kTypes));
  }
  if (reserved != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("A collective's reserved byte is ", reserved, ", not 0."));
  }
  CollectiveOp op = {static_cast<CollectiveKind>(kind),
                     static_cast<CollectiveReduction>(reduction),
                     static_cast<CollectiveType>(type)};
  if (RowOf(op.type).bytes == 0) {
    return absl::UnimplementedError(
        absl::StrCat("Collectives of ", RowOf(op.type).text,
                     " are not supported (", RowOf(op.kind).text, ")."));
  }
  if (!Reduces(op.kind)) {
    op.reduction = CollectiveReduction::kNone;
  } else if (op.reduction == CollectiveReduction::kNone) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The collective '", RowOf(op.kind).text, "' needs a reduction."));
  }
  return op;
}

bool Reduces(CollectiveKind kind) {
  return kind == CollectiveKind::kAllReduce ||
         kind == CollectiveKind::kReduce ||
         kind == CollectiveKind::kReduceScatter;
}

bool IsPointToPoint(CollectiveKind kind) {
  return kind == CollectiveKind::kSend || kind == CollectiveKind::kReceive ||
         kind == CollectiveKind::kSendReceive;
}

uint32_t ByteCount(CollectiveType type) { return RowOf(type).bytes; }

std::string CollectiveText(const CollectiveOp& op) {
  std::string text = RowOf(op.kind).text;
  if (Reduces(op.kind)) {
    absl::StrAppend(&text, " ",
                    kReductions[static_cast<uint8_t>(op.reduction)].text);
  }
  return absl::StrCat(text, " of ", RowOf(op.type).text);
}

absl::StatusOr<CollectivePlan> PlanCollective(
    const CollectiveOp& op, const CollectiveArguments& arguments, int rank,
    int ranks) {
  absl::StatusOr<CollectivePlan> plan =
      Planner(op, arguments, rank, ranks).Plan();
  if (plan.ok()) [[likely]]
    return plan;
  return Annotate(plan.status(), absl::StrCat("(", CollectiveText(op), ")"));
}

}  // namespace eyrie::hal
