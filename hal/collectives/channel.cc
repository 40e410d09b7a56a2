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
  absl::Status failure() override {
    std::lock_guard<std::mutex> lock(mutex_);
    return failure_;
  }

 private:
  std::mutex mutex_;
  absl::Status failure_;  // guarded by mutex_
};

void SelfChannel::Start(const CollectivePlan& plan,
                        const CollectiveRanges& ranges, Ref<RefObject>,
                        Done done) {
  done(RunAlone(plan, ranges));
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
        CheckRankAndCount(params, 0, 1, "; use --collectives for more ranks");
    if (!valid.ok()) return valid;
    return Ref<Channel>(MakeRef<SelfChannel>());
  }
  absl::Status Close() override { return absl::OkStatus(); }
};

}  // namespace

absl::Status Channel::RunAlone(const CollectivePlan&,
                               const CollectiveRanges& ranges) {
  if (count_ != 1) {
    return absl::InternalError(absl::StrCat(
        "A collective of ", count_, " ranks is run as one of a single rank."));
  }
  absl::Status failed = failure();
  if (!failed.ok() || ranges.receive.empty()) return failed;
  // Every reduction of a single element returns it.
  if (ranges.send.empty()) {
    std::memset(ranges.receive.data(), 0, ranges.receive.size());
  } else {
    std::memmove(ranges.receive.data(), ranges.send.data(),
                 std::min(ranges.send.size(), ranges.receive.size()));
  }
  return absl::OkStatus();
}

absl::Status CheckRankAndCount(const ChannelParams& params, int rank, int count,
                               absl::string_view advice) {
  const bool rank_fits = params.rank == kNoRank || params.rank == rank;
  const bool count_fits = params.count == -1 || params.count == count;
  if (rank_fits && count_fits) [[likely]]
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("A channel with rank ", params.rank, " and ", params.count,
                   " ranks was requested; this process is rank ", rank, " of ",
                   count, advice, "."));
}

std::shared_ptr<ChannelProvider> CreateSelfProvider() {
  return std::make_shared<SelfProvider>();
}

}  // namespace eyrie::hal
