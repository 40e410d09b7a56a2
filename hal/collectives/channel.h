// Channels: groups of ranks that run collectives together, as seen by one rank.
//
// A provider creates the channels of a process. The built-in one has a single
// rank; others are plug-ins (plugin.h). All ranks of a channel must run the
// same collectives in the same order.
// Tested by channel_test.cc.
#ifndef EYRIE_HAL_COLLECTIVES_CHANNEL_H_
#define EYRIE_HAL_COLLECTIVES_CHANNEL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/charged_object.h"
#include "base/ref.h"
#include "hal/collectives/collective.h"

namespace eyrie::hal {

// The ranges of a collective; their lengths are those of its plan. They may
// overlap.
struct CollectiveRanges {
  std::span<const uint8_t> send;
  std::span<uint8_t> receive;
};

// Thread-safe.
class Channel : public ChargedObject {
 public:
  static constexpr RefType kType{"hal.channel"};
  // Called once, on any thread. Must not block.
  using Done = std::function<void(const absl::Status&)>;
  // Called repeatedly while a thread waits. An error ends the wait with that
  // error.
  using Stop = std::function<absl::Status()>;

  int rank() const { return rank_; }    // in [0, count)
  int count() const { return count_; }  // at least 1

  // Creates a channel of all ranks that pass the same color, ordered by key,
  // then by rank. Returns null for a color of -1. Blocks until every rank of
  // this channel has called Split, or `stop` fails.
  virtual absl::StatusOr<Ref<Channel>> Split(int32_t color, int32_t key,
                                             const Stop& stop) = 0;

  // Starts a collective. Collectives run in the order of these calls. `kept`
  // must own the ranges; the channel may hold it even after it calls `done`. A
  // failure is permanent for the channel; its message names the rank and the
  // operation. A channel of one rank calls `done` before this returns.
  virtual void Start(const CollectivePlan& plan, const CollectiveRanges& ranges,
                     Ref<RefObject> kept, Done done) = 0;

  // Fails the channel permanently, on all ranks: running and later collectives
  // fail with `status`. For a rank that cannot run what others wait for.
  virtual void Fail(const absl::Status& status) = 0;
  // Returns the failure of the channel, or OK.
  virtual absl::Status failure() = 0;

  // Runs a collective on a channel of one rank before it returns. Returns
  // failure() if the channel has failed. INTERNAL: the channel has more ranks;
  // use Start.
  absl::Status RunAlone(const CollectivePlan& plan,
                        const CollectiveRanges& ranges);

 protected:
  Channel(int rank, int count)
      : ChargedObject(kType), rank_(rank), count_(count) {}

 private:
  const int rank_;
  const int count_;
};

// The requested properties of a new channel.
struct ChannelParams {
  std::string group;       // ranks with equal groups share a channel
  int32_t rank = kNoRank;  // kNoRank: the provider's rank
  int32_t count = -1;      // -1: the provider's count
};

// Thread-safe.
class ChannelProvider {
 public:
  virtual ~ChannelProvider() = default;
  // Returns a channel of all ranks: the same one for the same group. May block
  // until all ranks call it, or `stop` fails. INVALID_ARGUMENT: the rank or
  // count differs from the provider's.
  virtual absl::StatusOr<Ref<Channel>> Create(const ChannelParams& params,
                                              const Channel::Stop& stop) = 0;
  // Ends collectives in this process after success, and blocks until all other
  // ranks do so, too. If a provider is destroyed without Close, the collectives
  // of other ranks fail. FAILED_PRECONDITION: collectives are running. If the
  // channel of all ranks has failed, returns its failure.
  virtual absl::Status Close() = 0;
};

// Creates the provider of a process that is the only rank.
std::shared_ptr<ChannelProvider> CreateSelfProvider();

// INVALID_ARGUMENT: `params` has another rank or count; `advice` is appended to
// the message.
absl::Status CheckRankAndCount(const ChannelParams& params, int rank, int count,
                               absl::string_view advice);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COLLECTIVES_CHANNEL_H_
