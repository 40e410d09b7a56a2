#include "hal/collectives/messenger_provider.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/fnv1a.h"
#include "base/status_macros.h"
#include "hal/collectives/messenger.h"
#include "hal/collectives/rank_channel.h"

namespace eyrie::hal {
namespace {

class MessengerProvider final : public ChannelProvider {
 public:
  explicit MessengerProvider(std::shared_ptr<Messenger> messenger);
  ~MessengerProvider() override;

  absl::StatusOr<Ref<Channel>> Create(const ChannelParams& params,
                                      const Channel::Stop& stop) override;
  absl::Status Close() override;

 private:
  const std::shared_ptr<Messenger> messenger_;
  Ref<RankChannel> world_;
  bool closed_ = false;
  std::mutex mutex_;
  std::map<std::string, Ref<Channel>> groups_;  // guarded by mutex_
};

MessengerProvider::MessengerProvider(std::shared_ptr<Messenger> messenger)
    : messenger_(std::move(messenger)) {
  auto group = std::make_shared<RankGroup>();
  group->rank = messenger_->rank();
  for (int i = 0; i < messenger_->count(); ++i) group->ranks.push_back(i);
  world_ = MakeRef<RankChannel>(
      messenger_, std::make_shared<RankChannel::Numbers>(), std::move(group));
}

MessengerProvider::~MessengerProvider() {
  if (closed_) return;
  const absl::Status gone = absl::CancelledError("The rank has ended.");
  world_->Fail(gone);
  for (auto& [name, channel] : groups_) channel->Fail(gone);
  messenger_->Stop(/*orderly=*/false).IgnoreError();
}

absl::StatusOr<Ref<Channel>> MessengerProvider::Create(
    const ChannelParams& params, const Channel::Stop& stop) {
  RETURN_IF_ERROR(
      CheckRankAndCount(params, world_->rank(), world_->count(), ""));
  if (params.group.empty()) return Ref<Channel>(world_);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto it = groups_.find(params.group);
    if (it != groups_.end()) return it->second;
  }
  ASSIGN_OR_RETURN(Ref<Channel> channel,
                   world_->SplitAs(Fnv1a(params.group), 0, 0, stop));
  std::lock_guard<std::mutex> lock(mutex_);
  return groups_.try_emplace(params.group, std::move(channel)).first->second;
}

absl::Status MessengerProvider::Close() {
  RETURN_IF_ERROR(world_->failure());
  closed_ = true;
  return messenger_->Stop(/*orderly=*/true);
}

}  // namespace

absl::StatusOr<std::shared_ptr<ChannelProvider>> CreateMessengerProvider(
    const TransportFactory& factory) {
  ASSIGN_OR_RETURN(std::shared_ptr<Messenger> messenger,
                   Messenger::Create(factory));
  return std::shared_ptr<ChannelProvider>(
      std::make_shared<MessengerProvider>(std::move(messenger)));
}

}  // namespace eyrie::hal
