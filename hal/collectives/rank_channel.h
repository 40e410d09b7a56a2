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
  // Numbers of a process's channels; 0 is the channel of all ranks.
  struct Numbers {
    std::timed_mutex mutex;  // held while a channel is split
    uint32_t next = 1;       // guarded by mutex
  };

  RankChannel(std::shared_ptr<Messenger> messenger,
              std::shared_ptr<Numbers> numbers,
              std::shared_ptr<const RankGroup> group);

  absl::StatusOr<Ref<Channel>> Split(int32_t color, int32_t key,
                                     const Stop& stop) override;
  // All ranks must call it with the same `name`.
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
  // Sequence numbers of operations, the same on all ranks.
  struct Sequences {
    uint32_t collective = 0;
    std::vector<uint32_t> targets;  // sends, by rank
    std::vector<uint32_t> sources;  // receives, by rank
  };

  // Exchanges a split's greetings, and blocks until those of all ranks arrive.
  absl::StatusOr<std::vector<Greeting>> ExchangeGreetings(
      const Greeting& greeting, const Stop& stop);
  // Assigns sequence numbers, and adds the operation to the messenger. mutex_
  // must be held, so that operations are added in the order of their numbers.
  absl::Status Begin(OperationParams params, Messenger::Ended ended);
  // Removes and returns the callback of an operation; empty if already called.
  Done TakeWaiting(uint64_t key);
  // Tells all other ranks that this one sends nothing more. mutex_ must be
  // held.
  void SayFarewell(const absl::Status& status);

  const std::shared_ptr<Messenger> messenger_;
  const std::shared_ptr<Numbers> numbers_;
  const std::shared_ptr<const RankGroup> group_;

  std::mutex mutex_;  // guards all below
  absl::Status failure_;
  Sequences sequences_;
  uint64_t next_waiting_ = 0;
  std::unordered_map<uint64_t, Done> waiting_;  // of running operations
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_COLLECTIVES_RANK_CHANNEL_H_
