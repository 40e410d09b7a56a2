// Matches sends with receives, in order, by sender, receiver and tag.
#include "tests/support/rank_hub.h"

#include <cstring>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "hal/collectives/messenger_provider.h"

namespace eyrie::hal {

class RankHub::Port final : public Transport {
 public:
  Port(std::shared_ptr<RankHub> hub, int rank)
      : hub_(std::move(hub)), rank_(rank) {}

  int rank() const override { return rank_; }
  int count() const override { return hub_->count_; }
  absl::StatusOr<Request> Send(int peer, uint32_t tag,
                               std::span<const uint8_t> bytes) override {
    return hub_->Post({rank_, peer, tag}, bytes, {}, /*is_send=*/true);
  }
  absl::StatusOr<Request> Receive(int peer, uint32_t tag,
                                  std::span<uint8_t> bytes) override {
    return hub_->Post({peer, rank_, tag}, {}, bytes, /*is_send=*/false);
  }
  absl::StatusOr<bool> Test(Request request) override;
  absl::Status Close() override { return absl::OkStatus(); }

 private:
  const std::shared_ptr<RankHub> hub_;
  const int rank_;
};

absl::StatusOr<bool> RankHub::Port::Test(Request request) {
  std::lock_guard<std::mutex> lock(hub_->mutex_);
  const auto it = hub_->requests_.find(request);
  if (hub_->broken_[rank_]) {
    hub_->requests_.erase(it);
    return absl::DataLossError(
        absl::StrCat("The line of rank ", rank_, " is broken."));
  }
  const Message& message = *it->second.message;
  const bool is_over = message.sent && message.received;
  if (!is_over && !it->second.is_eager) return false;
  const bool fits = !is_over || message.out.size() == message.in.size();
  hub_->requests_.erase(it);
  if (!fits) return absl::InternalError("A message has another length.");
  return true;
}

uint64_t RankHub::Post(const Key& key, std::span<const uint8_t> out,
                       std::span<uint8_t> in, bool is_send) {
  std::lock_guard<std::mutex> lock(mutex_);
  const bool is_eager = is_send && out.size() <= kMaxEager;
  std::vector<std::shared_ptr<Message>>& open = meetings_[key];
  std::shared_ptr<Message> message;
  for (const auto& candidate : open) {
    if (!(is_send ? candidate->sent : candidate->received)) {
      message = candidate;
      break;
    }
  }
  if (message == nullptr) {
    message = std::make_shared<Message>();
    open.push_back(message);
  }
  if (is_send) {
    if (is_eager) message->copy.assign(out.begin(), out.end());
    message->out = is_eager ? message->copy : out;
    message->sent = true;
  } else {
    message->in = in;
    message->received = true;
  }
  if (message->sent && message->received) {
    if (message->in.size() == message->out.size() && !message->in.empty()) {
      std::memcpy(message->in.data(), message->out.data(), message->in.size());
    }
    std::erase(open, message);
    if (open.empty()) meetings_.erase(key);
  }
  const uint64_t request = next_request_++;
  requests_[request] = {std::move(message), is_eager};
  return request;
}

std::unique_ptr<Transport> RankHub::Connect(int rank) {
  return std::make_unique<Port>(shared_from_this(), rank);
}

std::shared_ptr<ChannelProvider> RankHub::Provider(int rank) {
  return *CreateMessengerProvider(
      [this, rank]() -> absl::StatusOr<std::unique_ptr<Transport>> {
        return Connect(rank);
      });
}

void RankHub::Break(int rank) {
  std::lock_guard<std::mutex> lock(mutex_);
  broken_[rank] = true;
}

size_t RankHub::in_flight() {
  std::lock_guard<std::mutex> lock(mutex_);
  return requests_.size();
}

void RunRanks(int count, const std::function<void(int rank)>& rank) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(rank, i);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace eyrie::hal
