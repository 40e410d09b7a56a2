// Runs one rank's part of a collective by messages to and from other ranks.
//
// First, ranks exchange greetings, and continue only if these match. Then there
// are one or two exchanges of blocks: a reduction sends each rank the blocks
// that it combines, then sends the results back. Nothing here blocks.
// Tested by messenger_test.cc.
#ifndef EYRIE_HAL_COLLECTIVES_OPERATION_H_
#define EYRIE_HAL_COLLECTIVES_OPERATION_H_

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/ref.h"
#include "hal/collectives/channel.h"
#include "hal/collectives/transport.h"

namespace eyrie::hal {

// The message that ranks exchange before an operation. It is sent as it is in
// memory, so all machines of a run must have the same architecture.
struct Greeting {
  static constexpr uint32_t kMagic = 0x65797231;  // "1rye"

  uint32_t magic = kMagic;
  uint32_t op = 0;      // as modules pack it, or kSplitOp
  uint32_t status = 0;  // not 0: this rank does not take part
  int32_t root = kNoRank;
  uint64_t count = 0;  // elements; in a split, its name
  // Only in a split.
  int32_t color = 0;
  int32_t key = 0;
  uint32_t next_channel = 0;
  char text[92] = {};  // why this rank does not take part
};
static_assert(sizeof(Greeting) == 128);

// The `op` of greetings that split a channel.
inline constexpr uint32_t kSplitOp = 0xFF;

// The ranks of a channel, as numbered by the transport.
struct RankGroup {
  std::vector<int> ranks;  // by rank in the channel
  int rank = 0;            // this process's
  uint32_t channel = 0;    // < kMaxChannels; channels that share ranks differ

  int count() const { return static_cast<int>(ranks.size()); }
};

// A tag has a channel, a use, and a sequence number within the use, which wraps
// around to 0.
enum class TagUse : uint32_t {
  kCollective = 0,
  kToTarget = 1,
  kToSource = 2,
};
inline constexpr uint32_t kMaxChannels = 1u << 11;
constexpr uint32_t CreateTag(uint32_t channel, TagUse use, uint32_t sequence) {
  return channel << 19 | static_cast<uint32_t>(use) << 17 |
         (sequence & ((1u << 17) - 1));
}

// The operation to run. Sequence numbers are per channel, or per peer.
struct OperationParams {
  CollectivePlan plan;
  CollectiveRanges ranges;
  Greeting greeting;
  uint32_t sequence = 0;         // for collectives
  uint32_t target_sequence = 0;  // for sends to the target
  uint32_t source_sequence = 0;  // for receives from the source
  // If not empty, only the greeting is sent, to these ranks and tags.
  std::vector<std::pair<int, uint32_t>> farewells;
  Ref<RefObject> kept;  // owns the ranges
};

class Operation {
 public:
  Operation(std::shared_ptr<const RankGroup> group, OperationParams params)
      : group_(std::move(group)), params_(std::move(params)) {}

  // Continues as far as possible without blocking. Returns true if the
  // operation has ended; status() then has its result. It must not be destroyed
  // while in_flight() is not 0, because messages use its memory.
  bool Step(Transport& transport);

  const absl::Status& status() const { return status_; }
  size_t in_flight() const { return messages_.size(); }
  // Fails the operation with `status`, unless it has ended.
  void Abandon(const absl::Status& status) {
    if (phase_ != Phase::kOver && status_.ok()) status_ = status;
  }
  // Returns the greetings of all ranks, by rank. Only after a split has ended.
  std::span<const Greeting> greetings() const { return greetings_; }

 private:
  enum class Phase : uint8_t { kBegin, kGreet, kFirst, kSecond, kOver };

  bool is_split() const { return params_.greeting.op == kSplitOp; }
  bool is_point_to_point() const {
    return !is_split() && IsPointToPoint(params_.plan.op.kind);
  }
  // Whether a point-to-point operation sends to, or receives from, another
  // rank.
  bool SendsToOther() const;
  bool ReceivesFromOther() const;
  uint32_t tag() const;

  absl::Status Advance(Transport& transport);
  absl::Status Greet(Transport& transport);
  absl::Status CheckGreetings() const;
  // Compares the peer's greeting in a point-to-point operation with this
  // rank's.
  absl::Status CheckPeer(int peer, const Greeting& greeting) const;
  absl::Status BeginFirst(Transport& transport);
  absl::Status BeginPeers(Transport& transport);
  absl::Status BeginReduction(Transport& transport);
  absl::Status FinishReduction(Transport& transport);

  // The bytes of the block that a rank combines, within all elements.
  uint64_t BlockBegin(int rank) const;
  uint64_t BlockSize(int rank) const {
    return BlockBegin(rank + 1) - BlockBegin(rank);
  }
  std::span<const uint8_t> SendBlock(int rank) const {
    return send_.subspan(BlockBegin(rank), BlockSize(rank));
  }
  std::span<uint8_t> ReceiveBlock(int rank) const {
    return params_.ranges.receive.subspan(BlockBegin(rank), BlockSize(rank));
  }
  // Copies the send range, before the receive range is written.
  absl::Status CopySend();
  absl::Status Allocate(uint64_t bytes, std::unique_ptr<uint8_t[]>& memory);

  absl::Status Send(Transport& transport, int rank, uint32_t tag,
                    std::span<const uint8_t> bytes);
  absl::Status Receive(Transport& transport, int rank, uint32_t tag,
                       std::span<uint8_t> bytes);

  const std::shared_ptr<const RankGroup> group_;
  OperationParams params_;
  Phase phase_ = Phase::kBegin;
  absl::Status status_;
  // By rank. In point-to-point operations, the target's and the source's.
  std::vector<Greeting> greetings_;
  std::unique_ptr<uint8_t[]> copy_;     // of the send range
  std::unique_ptr<uint8_t[]> staging_;  // other ranks' blocks
  std::span<uint8_t> result_;           // this rank's block, combined
  std::span<const uint8_t> send_;       // the send range, or a copy of it
  std::vector<Transport::Request> messages_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COLLECTIVES_OPERATION_H_
