#include "hal/collectives/messenger.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/deadline.h"
#include "base/status_macros.h"

namespace eyrie::hal {
namespace {

// The thread yields for this many rounds without progress; then it sleeps, for
// at most kMaxPauseUs per round.
constexpr int kYields = 50;
constexpr int kMaxPauseUs = 200;
// Time limit for sending farewells if the process does not end orderly.
constexpr auto kFarewellTime = std::chrono::milliseconds(200);

constexpr char kChannel[] = "The channel of collectives";

// Leaks an object, because messages in flight use its memory.
template <typename T>
void LeaveBehind(std::unique_ptr<T> object) {
  static std::mutex mutex;
  static auto* const objects = new std::vector<std::unique_ptr<T>>();
  std::lock_guard<std::mutex> lock(mutex);
  objects->push_back(std::move(object));
}

absl::Status Gone() {
  return absl::CancelledError("This rank has ended its collectives.");
}

}  // namespace

absl::StatusOr<std::shared_ptr<Messenger>> Messenger::Create(
    const TransportFactory& factory) {
  // In a forked child, leak it: the thread to join does not exist there.
  const auto end = [](Messenger* object) {
    if (!object->mark_.IsForked()) delete object;
  };
  std::shared_ptr<Messenger> messenger(new Messenger(), end);
  const auto work = [self = messenger.get(), factory] { self->Work(factory); };
  ASSIGN_OR_RETURN(messenger->thread_,
                   Thread::Start("messages between ranks", work));
  std::unique_lock<std::mutex> lock(messenger->mutex_);
  Wait(messenger->wakes_, lock, [&] { return messenger->started_; });
  if (!messenger->result_.ok()) return messenger->result_;
  return messenger;
}

Messenger::~Messenger() { Stop(/*orderly=*/false).IgnoreError(); }

absl::Status Messenger::Add(std::unique_ptr<Operation> operation, Ended ended) {
  RETURN_IF_ERROR(mark_.Check(kChannel));
  std::lock_guard<std::mutex> lock(mutex_);
  if (stopped_) return Gone();
  new_.push_back({std::move(operation), std::move(ended)});
  wakes_.notify_all();
  return absl::OkStatus();
}

bool Messenger::TakeNew(std::vector<Entry>& active, int pause_us) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto woken = [&] { return stopping_ || !new_.empty(); };
  if (active.empty()) {
    Wait(wakes_, lock, woken);
  } else if (pause_us > 0) {
    wakes_.wait_for(lock, std::chrono::microseconds(pause_us), woken);
  }
  for (Entry& entry : new_) active.push_back(std::move(entry));
  new_.clear();
  return !stopping_;
}

bool Messenger::StepAll(std::vector<Entry>& active) {
  bool moved = false;
  for (size_t i = 0; i < active.size();) {
    Entry& entry = active[i];
    const size_t in_flight = entry.operation->in_flight();
    const bool over = entry.operation->Step(*transport_);
    moved |= entry.operation->in_flight() != in_flight;
    if (over && entry.ended) {
      std::exchange(entry.ended, nullptr)(*entry.operation);
      moved = true;
    }
    // A failed operation stays while messages use its memory.
    if (over && entry.operation->in_flight() == 0) {
      active.erase(active.begin() + static_cast<ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return moved;
}

void Messenger::Work(const TransportFactory& factory) {
  absl::StatusOr<std::unique_ptr<Transport>> made = factory();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    started_ = true;
    result_ = made.status();
    if (made.ok()) {
      transport_ = *std::move(made);
      rank_ = transport_->rank();
      count_ = transport_->count();
    }
  }
  wakes_.notify_all();
  if (transport_ == nullptr) return;
  std::vector<Entry> active;
  int rounds = 0;
  while (TakeNew(
      active, rounds < kYields ? 0 : std::min(rounds - kYields, kMaxPauseUs))) {
    if (StepAll(active)) {
      rounds = 0;
      continue;
    }
    if (rounds++ < kYields) std::this_thread::yield();
  }
  Finish(active);
}

void Messenger::Finish(std::vector<Entry>& active) {
  const auto until = std::chrono::steady_clock::now() + kFarewellTime;
  while (!active.empty() && std::chrono::steady_clock::now() < until) {
    StepAll(active);
    std::this_thread::yield();
  }
  for (Entry& entry : active) {
    entry.operation->Abandon(Gone());
    if (entry.ended) std::exchange(entry.ended, nullptr)(*entry.operation);
  }
  if (orderly_ && active.empty()) {
    result_ = transport_->Close();
    transport_ = nullptr;
    return;
  }
  if (orderly_) {
    result_ = absl::FailedPreconditionError(
        absl::StrCat("Rank ", rank_, " ends while ", active.size(),
                     " of its collectives are running."));
  }
  LeaveBehind(std::move(transport_));
  for (Entry& entry : active) LeaveBehind(std::move(entry.operation));
}

absl::Status Messenger::Stop(bool orderly) {
  RETURN_IF_ERROR(mark_.Check(kChannel));
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!stopping_) orderly_ = orderly;
    stopping_ = true;
  }
  wakes_.notify_all();
  thread_.Join();
  std::vector<Entry> late;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    late.swap(new_);
  }
  for (Entry& entry : late) {
    entry.operation->Abandon(Gone());
    entry.ended(*entry.operation);
  }
  return result_;
}

}  // namespace eyrie::hal
