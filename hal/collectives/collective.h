// Collective operations: decoding, and planning of a rank's part.
//
// Every rank of a channel runs a collective, with its own buffers. Decoding and
// planning validate all of a module's numbers before anything is sent.
// Tested by collective_test.cc, testing/collective_fuzz.cc.
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

// Decodes the number that a module passes. Ignores the reduction of kinds that
// do not reduce. INVALID_ARGUMENT: an unknown part, or a missing reduction.
// UNIMPLEMENTED: the element type is not supported.
absl::StatusOr<CollectiveOp> DecodeCollective(uint32_t packed);

// Reports whether the kind combines elements.
bool Reduces(CollectiveKind kind);
// Reports whether only the ranks that are source or target take part.
bool IsPointToPoint(CollectiveKind kind);
// Returns the bytes of an element.
uint32_t ByteCount(CollectiveType type);
// Returns the operation as text: "all-reduce sum of f32", "send of i8".
std::string CollectiveText(const CollectiveOp& op);

// The value of a rank that does not exist.
inline constexpr int32_t kNoRank = -1;

// One rank's part in a collective. Ranges of 0 bytes are not used.
struct CollectivePlan {
  CollectiveOp op;
  uint64_t count = 0;          // elements, as the module passes them
  uint64_t block_bytes = 0;    // one rank's share; 0 if not shared
  uint64_t send_bytes = 0;     // read from the start of the send range
  uint64_t receive_bytes = 0;  // written from the start of the receive range
  int32_t root = kNoRank;      // of broadcast and reduce
  int32_t target = kNoRank;    // of send and send-receive
  int32_t source = kNoRank;    // of receive and send-receive
};

// The arguments that a rank passes with the operation.
struct CollectiveArguments {
  uint32_t param = 0;  // the root or peer, or target and source of 16 bits each
  uint64_t count = 0;  // elements
  // Bytes of the ranges; nullopt: unknown until a binding table is given.
  std::optional<uint64_t> send_length;
  std::optional<uint64_t> receive_length;
};

// Plans the part of `rank` of `ranks`. An all-gather's count may be what each
// rank sends or, in compilers' modules, what each rank receives; the receive
// range's length decides. INVALID_ARGUMENT: the ranks cannot share the count,
// or a rank does not exist. OUT_OF_RANGE: a range is too short, or a size
// overflows.
absl::StatusOr<CollectivePlan> PlanCollective(
    const CollectiveOp& op, const CollectiveArguments& arguments, int rank,
    int ranks);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COLLECTIVES_COLLECTIVE_H_
