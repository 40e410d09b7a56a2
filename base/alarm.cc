// The thread that alarms share, and its queue.
//
// An alarm's place in the queue may be earlier than its deadline, never later.
// Set stores the deadline and then reads the place. The thread clears the place
// and then reads the deadline. So at least one of the two sees the other's
// change.
#include "base/alarm.h"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "base/status_macros.h"
#include "base/thread.h"

namespace eyrie {
namespace {

constexpr int64_t kNever = Deadline::Never().nanoseconds();
// Callbacks may run the host's code, such as Python's event loops.
constexpr size_t kStackBytes = size_t{1} << 20;

}  // namespace

struct Alarm::Entry {
  explicit Entry(Callback callback) : callback(std::move(callback)) {}

  const Callback callback;
  std::atomic<int64_t> deadline{kNever};  // kNever: stopped, or has rung
  std::atomic<int64_t> place{kNever};  // in the queue; written under the mutex
  // Written under the mutex, before a ring takes the deadline.
  std::atomic<uint32_t> rings_in{0};  // process that runs the callback; 0: none
  pthread_t ringer = {};  // the thread that runs it; guarded by the mutex
};

// Owns the thread and the queue. The only instance is never destroyed.
class AlarmClock {
 public:
  static AlarmClock& Get() {
    static AlarmClock& clock = *new AlarmClock();
    return clock;
  }

  absl::Status AddUser() {
    const std::lock_guard<std::mutex> lock(mutex_);
    RETURN_IF_ERROR(StartIfNeeded());
    ++users_;
    return absl::OkStatus();
  }
  void RemoveUser(Alarm::Entry& entry);
  // Moves an entry to its deadline's place in the queue.
  absl::Status Queue(const std::shared_ptr<Alarm::Entry>& entry);
  void AwaitCallback(const Alarm::Entry& entry);

 private:
  // The address distinguishes entries with equal times.
  using Places = std::map<std::pair<int64_t, const Alarm::Entry*>,
                          std::shared_ptr<Alarm::Entry>>;

  AlarmClock() {
    pthread_atfork([] { Get().mutex_.lock(); }, [] { Get().mutex_.unlock(); },
                   [] { Get().BeginInChild(); });
  }

  absl::Status StartIfNeeded();
  void BeginInChild();
  void Run(uint32_t generation);
  void RingFirst(std::unique_lock<std::mutex>& lock, int64_t now);

  std::mutex mutex_;                  // guards all below
  std::condition_variable changed_;   // wakes the thread
  std::condition_variable finished_;  // a callback has ended
  Places places_;
  int64_t wake_ = kNever;    // when the thread wakes up next
  size_t users_ = 0;         // alarms that exist
  uint32_t process_ = 1;     // counts forks
  uint32_t generation_ = 0;  // of the thread; threads of earlier ones end
  Thread thread_;
};

absl::Status AlarmClock::StartIfNeeded() {
  if (thread_.is_started()) return absl::OkStatus();
  ASSIGN_OR_RETURN(
      thread_,
      Thread::Start(
          "limits of time",
          [this, generation = generation_] { Run(generation); }, kStackBytes));
  return absl::OkStatus();
}

void AlarmClock::RemoveUser(Alarm::Entry& entry) {
  Thread ending;  // joined after the lock is released
  Places::node_type removed;
  const std::lock_guard<std::mutex> lock(mutex_);
  removed = places_.extract({entry.place.load(), &entry});
  if (--users_ != 0) return;
  ++generation_;
  changed_.notify_all();
  ending = std::move(thread_);
}

absl::Status AlarmClock::Queue(const std::shared_ptr<Alarm::Entry>& entry) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const int64_t deadline = entry->deadline.load();
  const int64_t place = entry->place.load();
  if (place <= deadline) return absl::OkStatus();
  RETURN_IF_ERROR(StartIfNeeded());
  Places::node_type node = places_.extract({place, entry.get()});
  entry->place.store(deadline);
  if (node.empty()) {
    places_.emplace(std::pair(deadline, entry.get()), entry);
  } else {
    node.key().first = deadline;
    places_.insert(std::move(node));
  }
  if (deadline < wake_) {
    wake_ = deadline;
    changed_.notify_all();
  }
  return absl::OkStatus();
}

void AlarmClock::AwaitCallback(const Alarm::Entry& entry) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (pthread_equal(entry.ringer, pthread_self()) != 0) return;
  Wait(finished_, lock, [&] { return entry.rings_in != process_; });
}

// The child has a copy of the queue but no thread, and no waiter.
void AlarmClock::BeginInChild() {
  for (auto& [place, entry] : places_) entry->place.store(kNever);
  places_.clear();
  wake_ = kNever;
  ++process_;
  ++generation_;
  thread_.Forget();
  // The copied ones count waiters that do not exist in the child.
  new (&changed_) std::condition_variable();
  new (&finished_) std::condition_variable();
  mutex_.unlock();
}

void AlarmClock::Run(uint32_t generation) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (generation_ == generation) {
    const int64_t first =
        places_.empty() ? kNever : places_.begin()->first.first;
    const int64_t now = Deadline::Now().nanoseconds();
    if (first <= now) {
      RingFirst(lock, now);
      continue;
    }
    wake_ = first;
    WaitUntil(changed_, lock, Deadline::FromNanoseconds(first),
              [&] { return wake_ != first || generation_ != generation; });
  }
}

void AlarmClock::RingFirst(std::unique_lock<std::mutex>& lock, int64_t now) {
  Places::node_type node = places_.extract(places_.begin());
  // The node may hold the last reference, so it is freed outside the lock.
  Alarm::Entry& entry = *node.mapped();
  entry.place.store(kNever);
  int64_t deadline = entry.deadline.load();
  if (deadline > now) {
    if (deadline == kNever) return;
    entry.place.store(deadline);
    node.key().first = deadline;
    places_.insert(std::move(node));
    return;
  }
  entry.rings_in = process_;
  entry.ringer = pthread_self();
  // If this fails, another thread has just stopped the alarm, or has set it and
  // will queue it.
  if (entry.deadline.compare_exchange_strong(deadline, kNever)) {
    lock.unlock();
    entry.callback();
    lock.lock();
  }
  entry.rings_in = 0;
  entry.ringer = {};
  finished_.notify_all();
  lock.unlock();
  node = {};
  lock.lock();
}

Alarm::Alarm(std::shared_ptr<Entry> entry) : entry_(std::move(entry)) {}

absl::StatusOr<std::unique_ptr<Alarm>> Alarm::Create(Callback callback) {
  RETURN_IF_ERROR(AlarmClock::Get().AddUser());
  return std::unique_ptr<Alarm>(
      new Alarm(std::make_shared<Entry>(std::move(callback))));
}

Alarm::~Alarm() {
  Stop();
  AlarmClock::Get().RemoveUser(*entry_);
}

absl::Status Alarm::Set(Deadline deadline) {
  const int64_t at = deadline.nanoseconds();
  entry_->deadline.store(at);
  if (entry_->place.load() <= at) [[likely]]
    return absl::OkStatus();
  absl::Status queued = AlarmClock::Get().Queue(entry_);
  if (!queued.ok()) entry_->deadline.store(kNever);
  return queued;
}

void Alarm::Stop() {
  const bool was_set = entry_->deadline.exchange(kNever) != kNever;
  // The callback of an earlier setting may still run.
  if (was_set && entry_->rings_in.load() == 0) [[likely]]
    return;
  AlarmClock::Get().AwaitCallback(*entry_);
}

}  // namespace eyrie
