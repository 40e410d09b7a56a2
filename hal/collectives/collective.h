// What a collective operation is, and what it makes of a rank's two ranges.
//
// A collective is run by every rank of a channel, each with its own buffers.
// Decoding and planning check all that a module says, before anything is sent.
// Tested by collective_test.cc, collective_fuzz.cc.
#ifndef EYRIE_HAL_COLLECTIVES_COLLECTIVE_H_
#define EYRIE_HAL_COLLECTIVES_COLLECTIVE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace eyrie::hal {

enum class CollectiveKind : uint8_t {
#define COLLECTIVE_KIND(value, name, text) name = value,
#include "hal/collectives/collectives.def"
};

enum class CollectiveReduction : uint8_t {
#define COLLECTIVE_REDUCTION(value, name, text) name = value,
#include "hal/collectives/collectives.def"
};

enum class CollectiveType : uint8_t {
#define COLLECTIVE_TYPE(value, name, text, bytes) name = value,
#include "hal/collectives/collectives.def"
};

struct CollectiveOp {
  CollectiveKind kind = CollectiveKind::kAllGather;
  CollectiveReduction reduction = CollectiveReduction::kNone;
  CollectiveType type = CollectiveType::kSint8;

  bool operator==(const CollectiveOp&) const = default;
};

// Reads the number that a module gives. INVALID_ARGUMENT: a part that is not
// known, or a kind that reduces without a reduction. UNIMPLEMENTED: an element
// type that is known and not supported. Reductions of other kinds are dropped.
absl::StatusOr<CollectiveOp> DecodeCollective(uint32_t packed);

// True for the kinds that combine elements.
bool Reduces(CollectiveKind kind);
// True for the kinds that only some ranks run.
bool IsPointToPoint(CollectiveKind kind);
// Bytes of an element.
uint32_t ByteCount(CollectiveType type);
// "all-reduce sum of f32", "send of i8".
std::string CollectiveText(const CollectiveOp& op);

// No rank.
inline constexpr int32_t kNoRank = -1;

// One rank's part in a collective. Ranges of no bytes are not used.
struct CollectivePlan {
  CollectiveOp op;
  uint64_t count = 0;          // elements, as the module gives them
  uint64_t block_bytes = 0;    // one rank's share of what is cut into shares
  uint64_t send_bytes = 0;     // read from the start of the send range
  uint64_t receive_bytes = 0;  // written from the start of the receive range
  int32_t root = kNoRank;      // of broadcast and reduce
  int32_t target = kNoRank;    // of send and send-receive
  int32_t source = kNoRank;    // of receive and send-receive
};

// What a rank passes along with the operation.
struct CollectiveArguments {
  uint32_t param = 0;  // the root or peer, or target and source of 16 bits each
  uint64_t count = 0;  // elements
  // Bytes of the ranges; nullopt: known to the table of bindings alone.
  std::optional<uint64_t> send_length;
  std::optional<uint64_t> receive_length;
};

// What `rank` of `ranks` does. An all-gather's count may be what one rank
// gives or, as compilers have it, what every rank receives; the receive
// range's length tells which. INVALID_ARGUMENT: a count that ranks cannot
// share, or a rank that does not exist. OUT_OF_RANGE: a range that is too
// short, or a size that overflows.
absl::StatusOr<CollectivePlan> PlanCollective(
    const CollectiveOp& op, const CollectiveArguments& arguments, int rank,
    int ranks);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COLLECTIVES_COLLECTIVE_H_
