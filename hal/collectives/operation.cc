#include "hal/collectives/operation.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/collectives/reduce.h"

namespace eyrie::hal {
namespace {

bool Overlap(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  const auto begin = [](std::span<const uint8_t> bytes) {
    return reinterpret_cast<uintptr_t>(bytes.data());
  };
  return begin(a) < begin(b) + b.size() && begin(b) < begin(a) + a.size();
}

void Copy(std::span<const uint8_t> from, std::span<uint8_t> to) {
  if (!from.empty()) std::memmove(to.data(), from.data(), from.size());
}

std::string GreetingText(const Greeting& greeting) {
  if (greeting.op == kSplitOp) return "a split";
  const absl::StatusOr<CollectiveOp> op = DecodeCollective(greeting.op);
  if (!op.ok()) return absl::StrCat("operation ", greeting.op);
  std::string text = absl::StrCat(CollectiveText(*op), " x ", greeting.count);
  if (greeting.root == kNoRank) return text;
  return absl::StrCat(text, " with root ", greeting.root);
}

// Returns the error from the greeting of a rank that does not take part.
absl::Status ReadFarewell(int rank, const Greeting& greeting,
                          const Greeting& own) {
  const size_t length = strnlen(greeting.text, sizeof(greeting.text));
  return absl::Status(
      static_cast<absl::StatusCode>(greeting.status),
      absl::StrCat("Rank ", rank, " gave up before ", GreetingText(own), ": ",
                   absl::string_view(greeting.text, length)));
}

absl::Status CheckMagic(int rank, const Greeting& greeting) {
  if (greeting.magic == Greeting::kMagic) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("Rank ", rank, " uses another version of the protocol."));
}

}  // namespace

bool Operation::SendsToOther() const {
  const int32_t target = params_.plan.target;
  return is_point_to_point() && target != kNoRank && target != group_->rank;
}

bool Operation::ReceivesFromOther() const {
  const int32_t source = params_.plan.source;
  return is_point_to_point() && source != kNoRank && source != group_->rank;
}

uint32_t Operation::tag() const {
  return CreateTag(group_->channel, TagUse::kCollective, params_.sequence);
}

uint64_t Operation::BlockBegin(int rank) const {
  const CollectivePlan& plan = params_.plan;
  if (plan.block_bytes != 0) {
    return plan.block_bytes * static_cast<uint64_t>(rank);
  }
  const uint64_t ranks = static_cast<uint64_t>(group_->count());
  const uint64_t each = plan.count / ranks + (plan.count % ranks != 0);
  // Cannot overflow: at most all elements plus one block.
  return std::min(each * static_cast<uint64_t>(rank), plan.count) *
         ByteCount(plan.op.type);
}

absl::Status Operation::Send(Transport& transport, int rank, uint32_t tag,
                             std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const size_t size = std::min<size_t>(bytes.size(), Transport::kMaxMessage);
    ASSIGN_OR_RETURN(
        const Transport::Request request,
        transport.Send(group_->ranks[rank], tag, bytes.first(size)));
    messages_.push_back(request);
    bytes = bytes.subspan(size);
  }
  return absl::OkStatus();
}

absl::Status Operation::Receive(Transport& transport, int rank, uint32_t tag,
                                std::span<uint8_t> bytes) {
  while (!bytes.empty()) {
    const size_t size = std::min<size_t>(bytes.size(), Transport::kMaxMessage);
    ASSIGN_OR_RETURN(
        const Transport::Request request,
        transport.Receive(group_->ranks[rank], tag, bytes.first(size)));
    messages_.push_back(request);
    bytes = bytes.subspan(size);
  }
  return absl::OkStatus();
}

absl::Status Operation::Allocate(uint64_t bytes,
                                 std::unique_ptr<uint8_t[]>& memory) {
  memory.reset(new (std::nothrow) uint8_t[bytes]);
  if (memory != nullptr) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("A collective's staging memory of ", bytes,
                   " bytes cannot be allocated."));
}

absl::Status Operation::CopySend() {
  RETURN_IF_ERROR(Allocate(send_.size(), copy_));
  std::memcpy(copy_.get(), send_.data(), send_.size());
  send_ = {copy_.get(), send_.size()};
  return absl::OkStatus();
}

absl::Status Operation::Greet(Transport& transport) {
  const std::span<const uint8_t> own(
      reinterpret_cast<const uint8_t*>(&params_.greeting), sizeof(Greeting));
  const auto slot = [&](size_t index) {
    return std::span<uint8_t>(reinterpret_cast<uint8_t*>(&greetings_[index]),
                              sizeof(Greeting));
  };
  for (const auto& [rank, to] : params_.farewells) {
    RETURN_IF_ERROR(Send(transport, rank, to, own));
  }
  if (!params_.farewells.empty()) return absl::OkStatus();
  const uint32_t channel = group_->channel;
  if (is_point_to_point()) {
    greetings_.resize(2);
    const uint32_t out = params_.target_sequence;
    const uint32_t in = params_.source_sequence;
    const int target = params_.plan.target;
    const int source = params_.plan.source;
    if (SendsToOther()) {
      RETURN_IF_ERROR(Send(transport, target,
                           CreateTag(channel, TagUse::kToTarget, out), own));
      RETURN_IF_ERROR(Receive(transport, target,
                              CreateTag(channel, TagUse::kToSource, out),
                              slot(0)));
    }
    if (ReceivesFromOther()) {
      RETURN_IF_ERROR(Send(transport, source,
                           CreateTag(channel, TagUse::kToSource, in), own));
      RETURN_IF_ERROR(Receive(transport, source,
                              CreateTag(channel, TagUse::kToTarget, in),
                              slot(1)));
    }
    return absl::OkStatus();
  }
  greetings_.resize(group_->ranks.size());
  greetings_[group_->rank] = params_.greeting;
  for (int rank = 0; rank < group_->count(); ++rank) {
    if (rank == group_->rank) continue;
    RETURN_IF_ERROR(Send(transport, rank, tag(), own));
    RETURN_IF_ERROR(Receive(transport, rank, tag(), slot(rank)));
  }
  return absl::OkStatus();
}

absl::Status Operation::CheckPeer(int peer, const Greeting& greeting) const {
  const Greeting& own = params_.greeting;
  RETURN_IF_ERROR(CheckMagic(peer, greeting));
  if (greeting.status != 0) return ReadFarewell(peer, greeting, own);
  constexpr uint32_t kTypeBits = 0xFF0000;
  if (greeting.count == own.count &&
      (greeting.op & kTypeBits) == (own.op & kTypeBits)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "Rank ", peer, " runs ", GreetingText(greeting), " where rank ",
      group_->rank, " runs ", GreetingText(own), "."));
}

absl::Status Operation::CheckGreetings() const {
  if (!params_.farewells.empty()) return absl::OkStatus();
  if (is_point_to_point()) {
    if (SendsToOther()) {
      RETURN_IF_ERROR(CheckPeer(params_.plan.target, greetings_[0]));
    }
    if (ReceivesFromOther()) {
      RETURN_IF_ERROR(CheckPeer(params_.plan.source, greetings_[1]));
    }
    return absl::OkStatus();
  }
  for (int rank = 0; rank < group_->count(); ++rank) {
    RETURN_IF_ERROR(CheckMagic(rank, greetings_[rank]));
    if (greetings_[rank].status != 0) {
      return ReadFarewell(rank, greetings_[rank], params_.greeting);
    }
  }
  // Every rank compares with rank 0, so that all return the same message.
  const Greeting& first = greetings_[0];
  for (int rank = 1; rank < group_->count(); ++rank) {
    const Greeting& other = greetings_[rank];
    if (other.op == first.op && other.count == first.count &&
        other.root == first.root) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("Rank ", rank, " runs ", GreetingText(other),
                     " where rank 0 runs ", GreetingText(first), "."));
  }
  return absl::OkStatus();
}

absl::Status Operation::BeginPeers(Transport& transport) {
  const CollectivePlan& plan = params_.plan;
  const std::span<uint8_t> receive = params_.ranges.receive;
  if (SendsToOther() && ReceivesFromOther() && Overlap(send_, receive)) {
    RETURN_IF_ERROR(CopySend());
  }
  if (SendsToOther()) {
    RETURN_IF_ERROR(Send(
        transport, plan.target,
        CreateTag(group_->channel, TagUse::kToTarget, params_.target_sequence),
        send_));
  }
  if (ReceivesFromOther()) {
    return Receive(
        transport, plan.source,
        CreateTag(group_->channel, TagUse::kToTarget, params_.source_sequence),
        receive);
  }
  if (plan.source == group_->rank) {
    Copy(send_, receive);
  } else if (!receive.empty()) {
    std::memset(receive.data(), 0, receive.size());
  }
  return absl::OkStatus();
}

absl::Status Operation::BeginReduction(Transport& transport) {
  const int own = group_->rank;
  const std::span<uint8_t> receive = params_.ranges.receive;
  const uint64_t size = BlockSize(own);
  RETURN_IF_ERROR(Allocate(size * group_->ranks.size(), staging_));
  // A rank that is not the root combines its block here.
  result_ = {staging_.get() + size * static_cast<uint64_t>(own), size};
  if (params_.plan.op.kind == CollectiveKind::kReduceScatter) {
    result_ = receive;
  } else if (!receive.empty()) {
    result_ = ReceiveBlock(own);
  }
  if (Overlap(SendBlock(own), result_) &&
      SendBlock(own).data() != result_.data()) {
    RETURN_IF_ERROR(CopySend());
  }
  for (int rank = 0; rank < group_->count(); ++rank) {
    if (rank == own) continue;
    RETURN_IF_ERROR(Send(transport, rank, tag(), SendBlock(rank)));
    RETURN_IF_ERROR(
        Receive(transport, rank, tag(),
                {staging_.get() + size * static_cast<uint64_t>(rank), size}));
  }
  return absl::OkStatus();
}

absl::Status Operation::FinishReduction(Transport& transport) {
  const int own = group_->rank;
  const CollectivePlan& plan = params_.plan;
  std::vector<const uint8_t*> blocks;
  for (int rank = 0; rank < group_->count(); ++rank) {
    blocks.push_back(rank == own
                         ? SendBlock(own).data()
                         : staging_.get() +
                               result_.size() * static_cast<uint64_t>(rank));
  }
  ReduceBlocks(plan.op, blocks, result_);
  if (plan.op.kind == CollectiveKind::kReduceScatter) return absl::OkStatus();
  for (int rank = 0; rank < group_->count(); ++rank) {
    if (rank == own) continue;
    if (plan.root == kNoRank || plan.root == rank) {
      RETURN_IF_ERROR(Send(transport, rank, tag(), result_));
    }
    if (plan.root == kNoRank || plan.root == own) {
      RETURN_IF_ERROR(Receive(transport, rank, tag(), ReceiveBlock(rank)));
    }
  }
  return absl::OkStatus();
}

absl::Status Operation::BeginFirst(Transport& transport) {
  const CollectivePlan& plan = params_.plan;
  const std::span<uint8_t> receive = params_.ranges.receive;
  send_ = params_.ranges.send;
  if (Reduces(plan.op.kind)) return BeginReduction(transport);
  if (is_point_to_point()) return BeginPeers(transport);
  const int own = group_->rank;
  if (plan.op.kind == CollectiveKind::kBroadcast) {
    if (plan.root != own) {
      return Receive(transport, plan.root, tag(), receive);
    }
    if (Overlap(send_, receive) && send_.data() != receive.data()) {
      RETURN_IF_ERROR(CopySend());
    }
    for (int rank = 0; rank < group_->count(); ++rank) {
      if (rank == own) continue;
      RETURN_IF_ERROR(Send(transport, rank, tag(), send_));
    }
    if (!receive.empty() && send_.data() != receive.data()) {
      Copy(send_, receive);
    }
    return absl::OkStatus();
  }
  const bool gathers = plan.op.kind == CollectiveKind::kAllGather;
  if (Overlap(send_, receive) &&
      !(gathers && send_.data() == ReceiveBlock(own).data())) {
    RETURN_IF_ERROR(CopySend());
  }
  for (int rank = 0; rank < group_->count(); ++rank) {
    const std::span<const uint8_t> block = gathers ? send_ : SendBlock(rank);
    if (rank == own) {
      Copy(block, ReceiveBlock(own));
      continue;
    }
    RETURN_IF_ERROR(Send(transport, rank, tag(), block));
    RETURN_IF_ERROR(Receive(transport, rank, tag(), ReceiveBlock(rank)));
  }
  return absl::OkStatus();
}

absl::Status Operation::Advance(Transport& transport) {
  switch (phase_) {
    case Phase::kBegin:
      phase_ = Phase::kGreet;
      return Greet(transport);
    case Phase::kGreet:
      RETURN_IF_ERROR(CheckGreetings());
      if (is_split() || !params_.farewells.empty()) {
        phase_ = Phase::kOver;
        return absl::OkStatus();
      }
      phase_ = Phase::kFirst;
      return BeginFirst(transport);
    case Phase::kFirst:
      if (!Reduces(params_.plan.op.kind)) {
        phase_ = Phase::kOver;
        return absl::OkStatus();
      }
      phase_ = Phase::kSecond;
      return FinishReduction(transport);
    case Phase::kSecond:
    case Phase::kOver:
      phase_ = Phase::kOver;
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

bool Operation::Step(Transport& transport) {
  while (true) {
    for (size_t i = 0; i < messages_.size();) {
      const absl::StatusOr<bool> over = transport.Test(messages_[i]);
      if (!over.ok() && status_.ok()) status_ = over.status();
      if (over.ok() && !*over) {
        ++i;
        continue;
      }
      messages_[i] = messages_.back();
      messages_.pop_back();
    }
    // After a failure, messages in flight are still tested.
    if (!status_.ok()) return true;
    if (!messages_.empty()) return false;
    if (phase_ == Phase::kOver) return true;
    absl::Status status = Advance(transport);
    if (!status.ok()) status_ = std::move(status);
  }
}

}  // namespace eyrie::hal
