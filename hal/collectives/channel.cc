// The provider of a single rank: every collective is a copy, or nothing.
//
// Tested by channel_test.cc.
#include "hal/collectives/channel.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"

namespace eyrie::hal {
namespace {

class SelfChannel final : public Channel {
 public:
  SelfChannel() : Channel(0, 1) {}

  absl::StatusOr<Ref<Channel>> Split(int32_t color, int32_t,
                                     const Stop&) override {
    if (color == -1) return Ref<Channel>();
    return Ref<Channel>(MakeRef<SelfChannel>());
  }
  void Start(const CollectivePlan& plan, const CollectiveRanges& ranges,
             Ref<RefObject> kept, Done done) override;
  void Fail(const absl::Status& status) override;

 private:
  std::mutex mutex_;
  absl::Status failure_;  // guarded by mutex_
};

void SelfChannel::Start(const CollectivePlan& plan,
                        const CollectiveRanges& ranges, Ref<RefObject>,
                        Done done) {
  absl::Status failure;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    failure = failure_;
  }
  if (failure.ok() && !ranges.receive.empty()) {
    // One element alone is its own sum, product, minimum and average.
    if (ranges.send.empty()) {
      std::memset(ranges.receive.data(), 0, ranges.receive.size());
    } else {
      std::memmove(ranges.receive.data(), ranges.send.data(),
                   std::min(ranges.send.size(), ranges.receive.size()));
    }
  }
  done(failure);
}

void SelfChannel::Fail(const absl::Status& status) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (failure_.ok()) failure_ = status;
}

class SelfProvider final : public ChannelProvider {
 public:
  absl::StatusOr<Ref<Channel>> Create(const ChannelParams& params,
                                      const Channel::Stop&) override {
    absl::Status valid =
        CheckRankAndCount(params, 0, 1, "; others come with --collectives");
    if (!valid.ok()) return valid;
    return Ref<Channel>(MakeRef<SelfChannel>());
  }
  absl::Status Close() override { return absl::OkStatus(); }
};

}  // namespace

absl::Status CheckRankAndCount(const ChannelParams& params, int rank, int count,
                               absl::string_view advice) {
  const bool rank_fits = params.rank == kNoRank || params.rank == rank;
  const bool count_fits = params.count == -1 || params.count == count;
  if (rank_fits && count_fits) [[likely]]
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("A channel of rank ", params.rank, " and ", params.count,
                   " ranks is asked for; this process is rank ", rank, " of ",
                   count, advice, "."));
}

std::shared_ptr<ChannelProvider> MakeSelfProvider() {
  return std::make_shared<SelfProvider>();
}

}  // namespace eyrie::hal
