// Timeline semaphores: a value that only rises, or a permanent failure.
//
// Thread-safe. Host and devices can signal and wait. Work may wait for a value
// before anything that signals it is queued. Every present and later waiter
// gets a failure's code and message. host_semaphore.h implements it for drivers
// without native semaphores.
// Tested by fence_test.cc.
#ifndef EYRIE_HAL_SEMAPHORE_H_
#define EYRIE_HAL_SEMAPHORE_H_

#include <atomic>
#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/deadline.h"
#include "base/ref.h"

namespace eyrie::hal {

class Semaphore : public RefObject {
 public:
  static constexpr RefType kType{"hal.semaphore"};
  // Called once, with OK or the failure: on the signalling thread, or on the
  // caller's if the value is already reached. Must not block. If the semaphore
  // is destroyed first, the failure is CANCELLED.
  using Callback = std::function<void(const absl::Status&)>;

  // Returns the current value, or the failure.
  virtual absl::StatusOr<uint64_t> Query() = 0;
  // Raises the value. INVALID_ARGUMENT: `value` is not above the current one.
  // If the timeline has failed, returns its failure.
  virtual absl::Status Signal(uint64_t value) = 0;
  // Fails the timeline permanently. `status` must be an error. A second failure
  // is ignored.
  virtual void Fail(absl::Status status) = 0;
  // Blocks until `value` is reached, or returns the failure.
  // DEADLINE_EXCEEDED: not reached by the deadline.
  virtual absl::Status Wait(uint64_t value, Deadline deadline) = 0;
  virtual void OnReached(uint64_t value, Callback callback) = 0;

  // Reports whether the semaphore can be reused: nothing waits for it, and it
  // has not failed. Only the caller may hold a reference.
  virtual bool CanGoOn() const { return false; }

  // Identifies the driver and device that created this; null: the host.
  const void* driver_tag() const { return driver_tag_; }

  // Returns the value that is known to be reached, without asking a device. If
  // the timeline has failed, returns a number above all values.
  uint64_t known() const { return known_.load(std::memory_order_acquire); }
  bool IsKnownReached(uint64_t value) const {
    const uint64_t reached = known();
    return reached >= value && reached != kFailed;
  }

 protected:
  // The content of known_ after a failure; never a value.
  static constexpr uint64_t kFailed = ~uint64_t{0};

  explicit Semaphore(uint64_t value = 0, const void* driver_tag = nullptr)
      : RefObject(kType), known_(value), driver_tag_(driver_tag) {}

  std::atomic<uint64_t> known_;

 private:
  const void* const driver_tag_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_SEMAPHORE_H_
