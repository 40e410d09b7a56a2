// Channels: the ranks that run collectives together, as one of them sees it.
//
// A provider makes the channels of a process. The one that is always there
// knows a single rank; others are plug-ins (plugin.h). All ranks of a channel
// run the same collectives in the same order.
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

// The ranges of a collective, as long as its plan says. They may overlap.
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
  // Asked now and then while a thread waits: not OK ends the wait with it.
  using Stop = std::function<absl::Status()>;

  int rank() const { return rank_; }    // in [0, count)
  int count() const { return count_; }  // at least 1

  // The channel of those ranks that give the same color, ordered by key, then
  // by rank; null for a color of -1. Waits until every rank has come.
  virtual absl::StatusOr<Ref<Channel>> Split(int32_t color, int32_t key,
                                             const Stop& stop) = 0;

  // Begins a collective, in the order of the calls. The ranges stay as long as
  // `kept` is held, which may be longer than until `done`. A failure says
  // which rank and which operation it was; it stays with the channel.
  // A channel of one rank calls `done` before this returns.
  virtual void Start(const CollectivePlan& plan, const CollectiveRanges& ranges,
                     Ref<RefObject> kept, Done done) = 0;

  // This rank will not run what others wait for: everything on the channel
  // that is not over fails, here and there, and all that follows.
  virtual void Fail(const absl::Status& status) = 0;
  // Returns why the channel has failed; OK if it has not.
  virtual absl::Status failure() = 0;

  // Runs a collective on a channel of one rank, before it returns: there is no
  // other rank to wait for. Fails as the channel has. INTERNAL: the channel has
  // more ranks, for which there is Start.
  absl::Status RunAlone(const CollectivePlan& plan,
                        const CollectiveRanges& ranges);

 protected:
  Channel(int rank, int count)
      : ChargedObject(kType), rank_(rank), count_(count) {}

 private:
  const int rank_;
  const int count_;
};

// What a module asks a new channel to be.
struct ChannelParams {
  std::string group;       // ranks that name the same group belong together
  int32_t rank = kNoRank;  // kNoRank: the provider's
  int32_t count = -1;      // -1: the provider's
};

// Thread-safe.
class ChannelProvider {
 public:
  virtual ~ChannelProvider() = default;
  // A channel of all ranks; the same for the same group. INVALID_ARGUMENT: a
  // rank or count that are not the provider's.
  virtual absl::StatusOr<Ref<Channel>> Create(const ChannelParams& params,
                                              const Channel::Stop& stop) = 0;
  // This process will run no more collectives, and all went well: waits until
  // the other ranks say so too. A provider that goes without this takes its
  // rank for lost, and the others hear of it. FAILED_PRECONDITION: a channel
  // has failed, or collectives are running.
  virtual absl::Status Close() = 0;
};

// The provider of a process that is alone.
std::shared_ptr<ChannelProvider> CreateSelfProvider();

// INVALID_ARGUMENT: what is asked for is not what there is; `advice` ends the
// sentence.
absl::Status CheckRankAndCount(const ChannelParams& params, int rank, int count,
                               absl::string_view advice);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COLLECTIVES_CHANNEL_H_
