// Timeline semaphores: a value that only rises, or a failure that stays.
//
// Thread-safe. Host and device both signal and wait; work may be queued on a
// value before anybody has promised to reach it. A failure reaches every
// present and later waiter with its code and message.
// The implementation for drivers without one of their own: host_semaphore.h.
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
  // Called once, with the failure or OK; on the thread that signals, or on the
  // caller's own if the value has been reached already. Must not block. If the
  // timeline goes away first, the failure is CANCELLED.
  using Callback = std::function<void(const absl::Status&)>;

  // The value reached so far, or the failure.
  virtual absl::StatusOr<uint64_t> Query() = 0;
  // INVALID_ARGUMENT: `value` is not above the present one. A timeline that
  // has failed gives its failure.
  virtual absl::Status Signal(uint64_t value) = 0;
  // Fails the timeline for good; a second failure is ignored.
  virtual void Fail(absl::Status status) = 0;
  // Blocks until `value` is reached. DEADLINE_EXCEEDED: not by then.
  virtual absl::Status Wait(uint64_t value, Deadline deadline) = 0;
  virtual void OnReached(uint64_t value, Callback callback) = 0;

  // True if the timeline can be another's: nothing waits for it and it has not
  // failed. Asked where nobody but the caller holds it.
  virtual bool CanGoOn() const { return false; }

  // What tells the driver that made this, and one of its devices, from others;
  // null: the host's.
  const void* driver_tag() const { return driver_tag_; }

  // What the timeline is known to have reached, without asking a device; of one
  // that has failed, more than any value.
  uint64_t known() const { return known_.load(std::memory_order_acquire); }
  bool IsKnownReached(uint64_t value) const {
    const uint64_t reached = known();
    return reached >= value && reached != kFailed;
  }

 protected:
  // Stands in known_ for a failure; never a value.
  static constexpr uint64_t kFailed = ~uint64_t{0};

  explicit Semaphore(uint64_t value = 0, const void* driver_tag = nullptr)
      : RefObject(kType), known_(value), driver_tag_(driver_tag) {}

  std::atomic<uint64_t> known_;

 private:
  const void* const driver_tag_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_SEMAPHORE_H_
