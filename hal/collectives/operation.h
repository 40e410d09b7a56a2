// One rank's run of a collective, as messages to and from the others.
//
// Ranks greet each other first, and go on only if all say the same. Then every
// collective is one or two exchanges of blocks: reductions send each rank the
// blocks that it combines, and what comes of them back. Nothing here waits.
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

// What ranks tell each other before an operation, as it is sent: all machines
// of a run are of one kind.
struct Greeting {
  static constexpr uint32_t kMagic = 0x65797231;  // "1rye"

  uint32_t magic = kMagic;
  uint32_t op = 0;      // as modules pack it, or kSplit
  uint32_t status = 0;  // not 0: this rank will not take part
  int32_t root = kNoRank;
  uint64_t count = 0;  // elements; of a split, what names it
  // Of a split.
  int32_t color = 0;
  int32_t key = 0;
  uint32_t next_channel = 0;
  char text[92] = {};  // why this rank does not take part
};
static_assert(sizeof(Greeting) == 128);

// The op of a greeting by which a channel is split.
inline constexpr uint32_t kSplitOp = 0xFF;

// The ranks of a channel, as the transport knows them.
struct RankGroup {
  std::vector<int> ranks;  // by rank in the channel
  int rank = 0;            // this one's
  uint32_t channel = 0;    // below kMaxChannels; no two that share ranks agree

  int count() const { return static_cast<int>(ranks.size()); }
};

// Tags: a channel, what the message belongs to, and a number that grows with
// each such operation and begins again when all its bits are used.
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

// What to run. The sequences are those of the channel, or with the peers.
struct OperationParams {
  CollectivePlan plan;
  CollectiveRanges ranges;
  Greeting greeting;
  uint32_t sequence = 0;         // of a collective
  uint32_t target_sequence = 0;  // of sends to the target
  uint32_t source_sequence = 0;  // of receives from the source
  // Where the greeting goes, if it is all there is to say: rank and tag.
  std::vector<std::pair<int, uint32_t>> farewells;
  Ref<RefObject> kept;  // what the ranges lie in
};

class Operation {
 public:
  Operation(std::shared_ptr<const RankGroup> group, OperationParams params)
      : group_(std::move(group)), params_(std::move(params)) {}

  // Goes on as far as it can. True: it is over, and status() says how. It must
  // not be let go while messages are in flight, for they use its memory.
  bool Step(Transport& transport);

  const absl::Status& status() const { return status_; }
  size_t in_flight() const { return messages_.size(); }
  // Ends it from outside, unless it is over.
  void Abandon(const absl::Status& status) {
    if (phase_ != Phase::kOver && status_.ok()) status_ = status;
  }
  // What all ranks have said, by rank; of a split that is over.
  std::span<const Greeting> greetings() const { return greetings_; }

 private:
  enum class Phase : uint8_t { kBegin, kGreet, kFirst, kSecond, kOver };

  bool is_split() const { return params_.greeting.op == kSplitOp; }
  bool is_point_to_point() const {
    return !is_split() && IsPointToPoint(params_.plan.op.kind);
  }
  // What a point-to-point operation does with another rank.
  bool SendsToOther() const;
  bool ReceivesFromOther() const;
  uint32_t tag() const;

  absl::Status Advance(Transport& transport);
  absl::Status Greet(Transport& transport);
  absl::Status CheckGreetings() const;
  // The peer's part of a point-to-point operation against this one's.
  absl::Status CheckPeer(int peer, const Greeting& greeting) const;
  absl::Status BeginFirst(Transport& transport);
  absl::Status BeginPeers(Transport& transport);
  absl::Status BeginReduction(Transport& transport);
  absl::Status FinishReduction(Transport& transport);

  // The block that a rank combines, as a part of all elements.
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
  // Reads the send range from a copy, before the receive range is written.
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
  // By rank; of point-to-point operations the target's and the source's.
  std::vector<Greeting> greetings_;
  std::unique_ptr<uint8_t[]> copy_;     // of the send range
  std::unique_ptr<uint8_t[]> staging_;  // other ranks' blocks
  std::span<uint8_t> result_;           // this rank's block, combined
  std::span<const uint8_t> send_;       // the send range, or a copy of it
  std::vector<Transport::Request> messages_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COLLECTIVES_OPERATION_H_
