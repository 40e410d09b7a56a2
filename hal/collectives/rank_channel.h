// A channel over a messenger.
//
// Tested by messenger_test.cc.
#ifndef EYRIE_HAL_COLLECTIVES_RANK_CHANNEL_H_
#define EYRIE_HAL_COLLECTIVES_RANK_CHANNEL_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/collectives/channel.h"
#include "hal/collectives/messenger.h"
#include "hal/collectives/operation.h"

namespace eyrie::hal {

class RankChannel final : public Channel {
 public:
  // The channels that a process has had; 0 is the one of all ranks.
  struct Numbers {
    std::timed_mutex mutex;  // held while a channel is split
    uint32_t next = 1;       // guarded by mutex
  };

  RankChannel(std::shared_ptr<Messenger> messenger,
              std::shared_ptr<Numbers> numbers,
              std::shared_ptr<const RankGroup> group);

  absl::StatusOr<Ref<Channel>> Split(int32_t color, int32_t key,
                                     const Stop& stop) override;
  // Splits of one channel that all ranks begin have the same `name`.
  absl::StatusOr<Ref<Channel>> SplitAs(uint64_t name, int32_t color,
                                       int32_t key, const Stop& stop);
  void Start(const CollectivePlan& plan, const CollectiveRanges& ranges,
             Ref<RefObject> kept, Done done) override;
  void Fail(const absl::Status& status) override;
  absl::Status failure() override {
    std::lock_guard<std::mutex> lock(mutex_);
    return failure_;
  }

 private:
  // Numbers of operations: all ranks' count alike.
  struct Sequences {
    uint32_t collective = 0;
    std::vector<uint32_t> targets;  // sends, by rank
    std::vector<uint32_t> sources;  // receives, by rank
  };

  // Waits for what all ranks say of a split.
  absl::StatusOr<std::vector<Greeting>> ExchangeGreetings(
      const Greeting& greeting, const Stop& stop);
  // Gives the operation its sequences and hands it over; under mutex_.
  absl::Status Begin(OperationParams params, Messenger::Ended ended);
  // What waits for an operation; empty if it was told already.
  Done TakeWaiting(uint64_t key);
  // Tells all others that nothing will come any more; under mutex_.
  void SayFarewell(const absl::Status& status);

  const std::shared_ptr<Messenger> messenger_;
  const std::shared_ptr<Numbers> numbers_;
  const std::shared_ptr<const RankGroup> group_;

  std::mutex mutex_;  // guards all below
  absl::Status failure_;
  Sequences sequences_;
  uint64_t next_waiting_ = 0;
  std::unordered_map<uint64_t, Done> waiting_;  // for operations that run
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COLLECTIVES_RANK_CHANNEL_H_
