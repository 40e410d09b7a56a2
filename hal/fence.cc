#include "hal/fence.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/hash_map.h"
#include "base/lone_thread.h"
#include "base/status_macros.h"
#include "base/trace.h"

namespace eyrie::hal {
// Shared by a blocked thread and its callback, which may outlive the wait.
struct Latch {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  absl::Status status;
};

namespace {

// Up to this many points, linear search is used.
constexpr size_t kFewPoints = 16;

// Shared by the callbacks of a fence's points. The first failure or the last
// point calls `callback`.
struct Arrival {
  Arrival(size_t count, Semaphore::Callback done)
      : left(count), callback(std::move(done)) {}

  void Reach(const absl::Status& status) {
    if (status.ok() ? left.fetch_sub(1) != 1 : false) return;
    if (!called.exchange(true)) callback(status);
  }

  std::atomic<size_t> left;
  std::atomic<bool> called{false};
  Semaphore::Callback callback;
};

}  // namespace

// A blocked thread.
class Fence::Waiter {
 public:
  explicit Waiter(const Fence& fence) : fence_(fence) {
    if (fence.points_.size() == 1) return;
    latch_ = std::make_shared<Latch>();
    fence.OnReached([latch = latch_](const absl::Status& status) {
      std::lock_guard<std::mutex> lock(latch->mutex);
      latch->done = true;
      latch->status = status;
      latch->changed.notify_all();
    });
  }

  // Blocks until the wait ends, and returns its result, or DEADLINE_EXCEEDED.
  // May be called repeatedly.
  absl::Status Until(Deadline deadline) const {
    if (!latch_) {
      const Point& point = fence_.points_[0];
      return point.semaphore->Wait(point.value, deadline);
    }
    std::unique_lock<std::mutex> lock(latch_->mutex);
    const auto done = [&] { return latch_->done; };
    if (WaitUntil(latch_->changed, lock, deadline, done)) return latch_->status;
    return absl::DeadlineExceededError(
        absl::StrCat("The fence of ", fence_.points_.size(),
                     " points was not reached in time."));
  }

 private:
  const Fence& fence_;
  std::shared_ptr<Latch> latch_;  // null: the fence has one point
};

Ref<Fence> Fence::ForPoint(Ref<Semaphore> semaphore, uint64_t value) {
  Ref<Fence> fence = MakeRef<Fence>();
  fence->points_.push_back({std::move(semaphore), value});
  return fence;
}

// Inlined into OnLastRef, because every fence of a call runs it.
[[gnu::always_inline]] inline bool Fence::Renew() {
  if (points_.size() != 1) return false;
  Point& point = points_[0];
  if (!point.semaphore->IsUnique() || !point.semaphore->CanGoOn()) return false;
  uint64_t reached = point.semaphore->known();
  if (reached < point.value) {
    reached = point.semaphore->Query().value_or(0);
    if (reached < point.value) return false;
  }
  point.value = reached + 1;
  Hold(MemoryCharge());
  ResetRef();
  return true;
}

void Fence::OnLastRef() {
  if (store_ && Renew() && store_->Keep(this)) return;
  delete this;
}

Ref<Fence> Fence::Join(std::span<Fence* const> fences) {
  Ref<Fence> joined = MakeRef<Fence>();
  size_t count = 0;
  for (const Fence* fence : fences) {
    if (fence != nullptr) count += fence->points_.size();
  }
  if (count > kFewPoints) {
    joined->InsertMany(fences);
    return joined;
  }
  for (const Fence* fence : fences) {
    if (fence == nullptr) continue;
    for (const Point& point : fence->points_) {
      joined->Insert(point.semaphore, point.value);
    }
  }
  return joined;
}

void Fence::InsertMany(std::span<Fence* const> fences) {
  HashMap<const Semaphore*, size_t> places;
  HashSet<const Fence*> seen;
  for (const Fence* fence : fences) {
    if (fence == nullptr || !seen.insert(fence).second) continue;
    for (const Point& point : fence->points_) {
      const auto [place, added] =
          places.emplace(point.semaphore.get(), points_.size());
      if (added) {
        points_.push_back(point);
      } else {
        uint64_t& value = points_[place->second].value;
        value = std::max(value, point.value);
      }
    }
  }
}

void Fence::Insert(Ref<Semaphore> semaphore, uint64_t value) {
  for (Point& point : points_) {
    if (point.semaphore != semaphore) continue;
    point.value = std::max(point.value, value);
    return;
  }
  points_.push_back({std::move(semaphore), value});
}

absl::StatusOr<bool> Fence::Ask() const {
  bool reached = true;
  for (const Point& point : points_) {
    ASSIGN_OR_RETURN(const uint64_t value, point.semaphore->Query());
    reached &= value >= point.value;
  }
  return reached;
}

absl::Status Fence::Signal() const {
  if (points_.size() == 1) [[likely]]
    return points_[0].semaphore->Signal(points_[0].value);
  absl::Status first;
  for (const Point& point : points_) {
    absl::Status status = point.semaphore->Signal(point.value);
    if (first.ok() && !status.ok()) [[unlikely]]
      first = std::move(status);
  }
  return first;
}

void Fence::Fail(const absl::Status& status) const {
  for (const Point& point : points_) point.semaphore->Fail(status);
}

absl::StatusOr<bool> Fence::IsAbandoned() const {
  if (!IsUnique()) return false;
  for (const Point& point : points_) {
    // Check references before the value: a signaller may signal and then
    // release its reference in between.
    const bool held = !point.semaphore->IsUnique();
    ASSIGN_OR_RETURN(const uint64_t value, point.semaphore->Query());
    if (!held && value < point.value) return true;
  }
  return false;
}

absl::StatusOr<bool> Fence::IsWaitOver(Deadline deadline) const {
  ASSIGN_OR_RETURN(const bool reached, Query());
  if (reached || !deadline.IsNever()) return reached;
  ASSIGN_OR_RETURN(const bool abandoned, IsAbandoned());
  if (!abandoned) return false;
  return absl::FailedPreconditionError(
      "The wait for the fence would never end: nothing is left that could "
      "signal it.");
}

absl::Status Fence::Wait(Deadline deadline) const {
  ASSIGN_OR_RETURN(const bool over, IsWaitOver(deadline));
  if (over) return absl::OkStatus();
  const trace::Span span(trace::Category::kWait, trace::Name::kWait);
  return Waiter(*this).Until(deadline);
}

absl::Status Fence::Wait(Deadline deadline,
                         absl::FunctionRef<bool()> stopped) const {
  ASSIGN_OR_RETURN(const bool over, IsWaitOver(deadline));
  if (over) return absl::OkStatus();
  const trace::Span span(trace::Category::kWait, trace::Name::kWait);
  const Waiter waiter(*this);
  while (!stopped()) {
    const Deadline look =
        std::min(deadline, Deadline::After(absl::Milliseconds(10)));
    absl::Status status = waiter.Until(look);
    // A fence may itself have failed with DEADLINE_EXCEEDED.
    ASSIGN_OR_RETURN(const bool reached, Query());
    if (reached || look == deadline || !absl::IsDeadlineExceeded(status)) {
      return reached ? absl::OkStatus() : status;
    }
  }
  return absl::CancelledError("The wait for a fence was stopped.");
}

void Fence::OnReached(Semaphore::Callback callback) const {
  if (points_.empty()) return callback(absl::OkStatus());
  if (points_.size() == 1) {
    return points_[0].semaphore->OnReached(points_[0].value,
                                           std::move(callback));
  }
  auto arrival = std::make_shared<Arrival>(points_.size(), std::move(callback));
  // Copied, because the callback may delete this fence.
  const absl::InlinedVector<Point, 2> points = points_;
  for (const Point& point : points) {
    if (arrival->called.load()) return;  // a point has failed
    point.semaphore->OnReached(
        point.value, [arrival](const absl::Status& s) { arrival->Reach(s); });
  }
}

Ref<Fence> FenceStore::Take() {
  for (std::atomic<Fence*>& place : kept_) {
    if (place.load(std::memory_order_relaxed) == nullptr) continue;
    Fence* const fence =
        Exchange<Fence*>(place, nullptr, std::memory_order_seq_cst);
    if (fence != nullptr) return Ref<Fence>::Adopt(fence);
  }
  return nullptr;
}

bool FenceStore::Keep(Fence* fence) {
  for (std::atomic<Fence*>& place : kept_) {
    Fence* none = nullptr;
    if (place.load(std::memory_order_relaxed) != nullptr ||
        !CompareExchange(place, none, fence, std::memory_order_seq_cst)) {
      continue;
    }
    // Close may have passed this place already; then take the fence back.
    Fence* mine = fence;
    return !closed_.load() || !place.compare_exchange_strong(mine, nullptr);
  }
  return false;
}

void FenceStore::Close() {
  closed_.store(true);
  // This drops the last reference. Keep returns false now, so the fence is
  // deleted.
  for (std::atomic<Fence*>& place : kept_) {
    Ref<Fence>::Adopt(place.exchange(nullptr)).reset();
  }
}

}  // namespace eyrie::hal
