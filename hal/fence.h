// A set of timeline points that must all be reached.
//
// Thread-compatible. Retains every semaphore. Frozen once a queue has it. A
// null fence, like an empty one, is reached.
// Tested by fence_test.cc.
#ifndef EYRIE_HAL_FENCE_H_
#define EYRIE_HAL_FENCE_H_

#include <cstdint>
#include <span>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/charged_object.h"
#include "base/deadline.h"
#include "base/ref.h"
#include "hal/fence_store.h"
#include "hal/semaphore.h"

namespace eyrie::hal {

class Fence final : public ChargedObject {
 public:
  static constexpr RefType kType{"hal.fence"};
  struct Point {
    Ref<Semaphore> semaphore;
    uint64_t value;
  };

  Fence() : ChargedObject(kType) {}
  // A fence on one point: what a call's results are signalled by.
  static Ref<Fence> At(Ref<Semaphore> semaphore, uint64_t value);
  // The points of all; a semaphore that stands twice keeps its larger value.
  static Ref<Fence> Join(std::span<Fence* const> fences);

  // Where the fence goes when nobody holds it and it is over, to be another.
  // Before it is shared.
  void ReturnTo(Ref<FenceStore> store) { store_ = std::move(store); }

  // Adds a point; a known semaphore keeps its larger value.
  void Insert(Ref<Semaphore> semaphore, uint64_t value);
  std::span<const Point> points() const { return points_; }

  // True if every point is known to be reached; asks no device.
  bool IsKnownReached() const {
    for (const Point& point : points_) {
      if (!point.semaphore->IsKnownReached(point.value)) return false;
    }
    return true;
  }
  // True when every point is reached; the first failure, if any failed.
  absl::StatusOr<bool> Query() const {
    if (IsKnownReached()) return true;
    return Ask();
  }
  // Moves every point's timeline to its value. An error is the first one; the
  // other points have been signalled all the same.
  absl::Status Signal() const;
  void Fail(const absl::Status& status) const;
  // DEADLINE_EXCEEDED, or the first failure, as soon as there is one.
  // FAILED_PRECONDITION: a wait without limit, and nobody but the caller holds
  // the fence or one of its semaphores, which is not reached.
  absl::Status Wait(Deadline deadline) const;
  // The same, but CANCELLED when `stopped`, asked every 10 ms, says true.
  absl::Status Wait(Deadline deadline, absl::FunctionRef<bool()> stopped) const;
  // True if a wait would end at once: the fence is reached. Fails as Wait does.
  absl::StatusOr<bool> IsWaitOver(Deadline deadline) const;
  // Called once when all points are reached, or with the first failure; on
  // this thread before returning if that is already so.
  void OnReached(Semaphore::Callback callback) const;
  // What the semaphores keep of such a callback, about, beyond the callback;
  // some of them until they go, if another one fails first.
  uint64_t WaitBytes() const {
    constexpr uint64_t kNode = 144;  // of a map, with a function and its data
    return points_.size() > 1 ? points_.size() * kNode : 0;
  }

 private:
  class Waiter;
  // What Query says of points that are not known to be reached.
  absl::StatusOr<bool> Ask() const;
  // The points of fences, each looked at once however often it stands there,
  // into an empty fence.
  void InsertMany(std::span<Fence* const> fences);
  // True if only this fence could still signal one of its points.
  absl::StatusOr<bool> IsAbandoned() const;
  void OnLastRef() override;
  // Makes a fence that nobody holds one not yet reached; false: it cannot.
  bool Renew();

  absl::InlinedVector<Point, 2> points_;
  Ref<FenceStore> store_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_FENCE_H_
