#include "hal/collectives/rank_channel.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::hal {
namespace {

constexpr auto kStopInterval = std::chrono::milliseconds(10);

uint32_t Pack(const CollectiveOp& op) {
  return static_cast<uint32_t>(op.kind) |
         static_cast<uint32_t>(op.reduction) << 8 |
         static_cast<uint32_t>(op.type) << 16;
}

// Returns the ranks with this rank's color, ordered by key, then by rank.
std::shared_ptr<RankGroup> GroupOf(const RankGroup& all,
                                   std::span<const Greeting> greetings) {
  const int32_t color = greetings[all.rank].color;
  std::vector<int> members;
  uint32_t channel = 0;
  for (int rank = 0; rank < all.count(); ++rank) {
    channel = std::max(channel, greetings[rank].next_channel);
    if (greetings[rank].color == color) members.push_back(rank);
  }
  std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
    return greetings[a].key < greetings[b].key;
  });
  auto group = std::make_shared<RankGroup>();
  group->channel = channel;
  for (const int rank : members) {
    if (rank == all.rank) group->rank = group->count();
    group->ranks.push_back(all.ranks[rank]);
  }
  return group;
}

}  // namespace

RankChannel::RankChannel(std::shared_ptr<Messenger> messenger,
                         std::shared_ptr<Numbers> numbers,
                         std::shared_ptr<const RankGroup> group)
    : Channel(group->rank, group->count()),
      messenger_(std::move(messenger)),
      numbers_(std::move(numbers)),
      group_(std::move(group)) {
  sequences_.targets.resize(group_->ranks.size());
  sequences_.sources.resize(group_->ranks.size());
}

absl::Status RankChannel::Begin(OperationParams params,
                                Messenger::Ended ended) {
  const CollectivePlan& plan = params.plan;
  const bool is_split = params.greeting.op == kSplitOp;
  if (is_split || !IsPointToPoint(plan.op.kind)) {
    params.sequence = sequences_.collective++;
  } else {
    if (plan.target != kNoRank && plan.target != rank()) {
      params.target_sequence = sequences_.targets[plan.target]++;
    }
    if (plan.source != kNoRank && plan.source != rank()) {
      params.source_sequence = sequences_.sources[plan.source]++;
    }
  }
  return messenger_->Add(std::make_unique<Operation>(group_, std::move(params)),
                         std::move(ended));
}

void RankChannel::Start(const CollectivePlan& plan,
                        const CollectiveRanges& ranges, Ref<RefObject> kept,
                        Done done) {
  if (count() == 1) return done(RunAlone(plan, ranges));
  OperationParams params;
  params.plan = plan;
  params.ranges = ranges;
  params.greeting.op = Pack(plan.op);
  params.greeting.root = plan.root;
  params.greeting.count = plan.count;
  params.kept = std::move(kept);
  uint64_t key = 0;
  absl::Status begun;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    key = next_waiting_++;
    waiting_.emplace(key, std::move(done));
    begun = failure_;
    if (begun.ok()) {
      begun = Begin(std::move(params), [self = Ref<RankChannel>::Share(this),
                                        key](Operation& operation) {
        if (!operation.status().ok()) self->Fail(operation.status());
        const Done ended = self->TakeWaiting(key);
        if (ended) ended(operation.status());
      });
    }
  }
  if (begun.ok()) return;
  const Done ended = TakeWaiting(key);
  if (ended) ended(begun);
}

Channel::Done RankChannel::TakeWaiting(uint64_t key) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = waiting_.find(key);
  if (it == waiting_.end()) return nullptr;  // already called
  Done done = std::move(it->second);
  waiting_.erase(it);
  return done;
}

void RankChannel::SayFarewell(const absl::Status& status) {
  OperationParams params;
  params.greeting.status = static_cast<uint32_t>(status.code());
  const absl::string_view text = status.message();
  std::memcpy(params.greeting.text, text.data(),
              std::min(text.size(), sizeof(params.greeting.text)));
  // The tags of the next greeting that each rank can wait for.
  const uint32_t channel = group_->channel;
  for (int rank = 0; rank < count(); ++rank) {
    if (rank == this->rank()) continue;
    const std::pair<TagUse, uint32_t> next[] = {
        {TagUse::kCollective, sequences_.collective},
        {TagUse::kToTarget, sequences_.targets[rank]},
        {TagUse::kToSource, sequences_.sources[rank]}};
    for (const auto& [use, sequence] : next) {
      params.farewells.emplace_back(rank, CreateTag(channel, use, sequence));
    }
  }
  if (params.farewells.empty()) return;
  // If the messenger has stopped, no message can be sent.
  messenger_
      ->Add(std::make_unique<Operation>(group_, std::move(params)),
            [](Operation&) {})
      .IgnoreError();
}

void RankChannel::Fail(const absl::Status& status) {
  std::unordered_map<uint64_t, Done> waiting;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_.ok()) return;
    failure_ = status;
    SayFarewell(status);
    waiting.swap(waiting_);
  }
  for (auto& [key, done] : waiting) done(status);
}

absl::StatusOr<std::vector<Greeting>> RankChannel::ExchangeGreetings(
    const Greeting& greeting, const Stop& stop) {
  // Shared with the messenger's thread, which may answer after `stop` fails.
  struct Answer {
    std::mutex mutex;
    std::condition_variable comes;
    bool over = false;
    absl::Status status;
    std::vector<Greeting> greetings;
  };
  const auto answer = std::make_shared<Answer>();
  const auto finish = [answer](const absl::Status& status,
                               std::span<const Greeting> greetings) {
    std::lock_guard<std::mutex> lock(answer->mutex);
    if (answer->over) return;
    answer->over = true;
    answer->status = status;
    answer->greetings.assign(greetings.begin(), greetings.end());
    answer->comes.notify_all();
  };
  {
    std::lock_guard<std::mutex> lock(mutex_);
    RETURN_IF_ERROR(failure_);
    OperationParams params;
    params.greeting = greeting;
    const uint64_t key = next_waiting_++;
    RETURN_IF_ERROR(
        Begin(std::move(params), [self = Ref<RankChannel>::Share(this), key,
                                  finish](Operation& operation) {
          if (!operation.status().ok()) self->Fail(operation.status());
          self->TakeWaiting(key);
          finish(operation.status(), operation.greetings());
        }));
    waiting_.emplace(
        key, [finish](const absl::Status& status) { finish(status, {}); });
  }
  std::unique_lock<std::mutex> lock(answer->mutex);
  while (!answer->comes.wait_for(lock, kStopInterval,
                                 [&] { return answer->over; })) {
    lock.unlock();
    absl::Status stopped = stop();
    if (!stopped.ok()) {
      Fail(stopped);
      return stopped;
    }
    lock.lock();
  }
  if (!answer->status.ok()) return answer->status;
  return std::move(answer->greetings);
}

absl::StatusOr<Ref<Channel>> RankChannel::Split(int32_t color, int32_t key,
                                                const Stop& stop) {
  return SplitAs(0, color, key, stop);
}

absl::StatusOr<Ref<Channel>> RankChannel::SplitAs(uint64_t name, int32_t color,
                                                  int32_t key,
                                                  const Stop& stop) {
  Greeting greeting;
  greeting.op = kSplitOp;
  greeting.count = name;
  greeting.color = color;
  greeting.key = key;
  // One split at a time, so that each gets its own number.
  std::unique_lock<std::timed_mutex> lock(numbers_->mutex, std::defer_lock);
  while (!lock.try_lock_for(kStopInterval)) RETURN_IF_ERROR(stop());
  greeting.next_channel = numbers_->next;
  ASSIGN_OR_RETURN(const std::vector<Greeting> greetings,
                   ExchangeGreetings(greeting, stop));
  std::shared_ptr<const RankGroup> group = GroupOf(*group_, greetings);
  numbers_->next = group->channel + 1;
  if (group->channel >= kMaxChannels) {
    return absl::ResourceExhaustedError(
        absl::StrCat("A process has created ", group->channel,
                     " channels; the limit is ", kMaxChannels, "."));
  }
  if (color == -1) return Ref<Channel>();
  return Ref<Channel>(
      MakeRef<RankChannel>(messenger_, numbers_, std::move(group)));
}

}  // namespace eyrie::hal
