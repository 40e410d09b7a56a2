// A set of timeline points that must all be reached.
//
// Thread-compatible. Retains its semaphores. Must not change once it is passed
// to a queue. A null or empty fence counts as reached.
// Tested by fence_test.cc.
#ifndef EYRIE_HAL_FENCE_H_
#define EYRIE_HAL_FENCE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/charged_object.h"
#include "base/deadline.h"
#include "base/ref.h"
#include "hal/semaphore.h"

namespace eyrie::hal {

class Fence;

// Keeps used fences for reuse. Every call creates two or more, so reuse avoids
// the system's allocator. A timeline only rises, so a reused fence waits for a
// value above the one that its timeline has reached. Thread-safe and lock-free.
class FenceStore final : public RefObject {
 public:
  static constexpr RefType kType{"hal.fence_store"};

  FenceStore() : RefObject(kType) {}

  // Returns a fence not yet reached, on its own timeline; null if the store is
  // empty.
  Ref<Fence> Take();
  // Takes ownership of an unreferenced fence. Returns false if it is full or
  // closed; the caller then still owns the fence.
  bool Keep(Fence* fence);
  // Deletes all kept fences; from now on Keep returns false.
  void Close();

 private:
  std::array<std::atomic<Fence*>, 8> kept_ = {};
  std::atomic<bool> closed_{false};
};

class Fence final : public ChargedObject {
 public:
  static constexpr RefType kType{"hal.fence"};
  struct Point {
    Ref<Semaphore> semaphore;
    uint64_t value;
  };

  Fence() : ChargedObject(kType) {}
  // Creates a fence of one point.
  static Ref<Fence> ForPoint(Ref<Semaphore> semaphore, uint64_t value);
  // Creates a fence of the points of all `fences`; entries may be null. For a
  // semaphore that occurs twice, the larger value counts.
  static Ref<Fence> Join(std::span<Fence* const> fences);

  // Sets the store that takes the fence for reuse when its last reference is
  // dropped. Must be called before the fence is shared.
  void ReturnTo(Ref<FenceStore> store) { store_ = std::move(store); }

  // Adds a point. If the semaphore is already in the fence, the larger value
  // counts.
  void Insert(Ref<Semaphore> semaphore, uint64_t value);
  std::span<const Point> points() const { return points_; }

  // Reports whether every point is known to be reached, without asking a
  // device; may be false for a fence that is reached.
  bool IsKnownReached() const {
    for (const Point& point : points_) {
      if (!point.semaphore->IsKnownReached(point.value)) return false;
    }
    return true;
  }
  // Reports whether every point is reached. If semaphores have failed, returns
  // the first one's failure.
  absl::StatusOr<bool> Query() const {
    if (IsKnownReached()) return true;
    return Ask();
  }
  // Signals every point, even if one of them fails; returns the first error.
  absl::Status Signal() const;
  void Fail(const absl::Status& status) const;
  // Blocks until every point is reached, or returns the first failure as soon
  // as it occurs. DEADLINE_EXCEEDED: not reached by the deadline.
  // FAILED_PRECONDITION: the deadline is infinite, and nothing can signal a
  // point: only the caller holds the fence, and only the fence its semaphore.
  absl::Status Wait(Deadline deadline) const;
  // Waits as above, but calls `stopped` every 10 ms, and returns CANCELLED if
  // that returns true.
  absl::Status Wait(Deadline deadline, absl::FunctionRef<bool()> stopped) const;
  // Reports whether Wait would return OK at once. Returns the failures of the
  // fence, and FAILED_PRECONDITION as Wait does.
  absl::StatusOr<bool> IsWaitOver(Deadline deadline) const;
  // Calls `callback` once: with OK when all points are reached, or with the
  // first failure. If either has already happened, calls it on this thread
  // before returning. See Semaphore::Callback.
  void OnReached(Semaphore::Callback callback) const;
  // Returns the approximate bytes that semaphores allocate for such a callback,
  // not counting the callback itself. If one semaphore fails, others may hold
  // them until they are destroyed.
  uint64_t WaitBytes() const {
    constexpr uint64_t kNode = 144;  // a map's node with its function
    return points_.size() > 1 ? points_.size() * kNode : 0;
  }

 private:
  class Waiter;
  // Implements Query for points that are not known to be reached.
  absl::StatusOr<bool> Ask() const;
  // Adds the points of `fences`, in linear time, to this empty fence.
  void InsertMany(std::span<Fence* const> fences);
  // Reports whether a point is not reached and only this fence holds its
  // semaphore.
  absl::StatusOr<bool> IsAbandoned() const;
  void OnLastRef() override;
  // Resets an unreferenced fence, so that it is not yet reached. Returns false
  // if that is impossible.
  bool Renew();

  absl::InlinedVector<Point, 2> points_;
  Ref<FenceStore> store_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_FENCE_H_
