// A timeline semaphore in host memory, for drivers without a native one.
//
// Thread-safe. Query, and Signal without waiters, take no lock. Callbacks run
// on the signalling thread, without the lock. A waiting thread may run a
// device's work meanwhile (WaitHost).
// Tested by fence_test.cc.
#ifndef EYRIE_HAL_HOST_SEMAPHORE_H_
#define EYRIE_HAL_HOST_SEMAPHORE_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/deadline.h"
#include "base/fork_mark.h"
#include "base/ref.h"
#include "hal/semaphore.h"

namespace eyrie::hal {

// Blocks waiting threads, and may run other work on them meanwhile.
// Thread-safe.
class WaitHost : public RefObject {
 public:
  static constexpr RefType kType{"hal.wait_host"};

  // Returns when `done()` returns true or the deadline has passed. Calls `done`
  // again after each Nudge.
  virtual void WaitUntil(Deadline deadline, absl::FunctionRef<bool()> done) = 0;
  // Wakes waiting threads to call their `done` again.
  virtual void Nudge() = 0;

 protected:
  WaitHost() : RefObject(kType) {}
};

class HostSemaphore : public Semaphore {
 public:
  // If `host` is null, waiting threads sleep.
  explicit HostSemaphore(uint64_t value, Ref<WaitHost> host = nullptr,
                         const void* driver_tag = nullptr)
      : Semaphore(value, driver_tag), host_(std::move(host)) {}

  absl::StatusOr<uint64_t> Query() override;
  absl::Status Signal(uint64_t value) override;
  void Fail(absl::Status status) override;
  absl::Status Wait(uint64_t value, Deadline deadline) override;
  void OnReached(uint64_t value, Callback callback) override;
  bool CanGoOn() const override {
    return known_.load() < kFailed - 1 && waiting_.load() == 0;
  }

 protected:
  // Calls the remaining callbacks with CANCELLED.
  ~HostSemaphore() override;

 private:
  // Ordered by value, then by age.
  using Waiters = std::multimap<uint64_t, Callback>;
  // Blocks until `value` is reached, the timeline fails, or the deadline
  // passes.
  void Block(uint64_t value, Deadline deadline);
  // Returns the failure; known_ must be kFailed.
  absl::Status Failure();
  // Removes and returns the waiters up to `value`, and wakes blocked threads.
  Waiters Release(uint64_t value);

  const Ref<WaitHost> host_;
  // The number of callbacks and blocked threads. A waiter increments it before
  // it reads known_ again; a signaller sets known_ before it reads this. Both
  // are sequentially consistent, so that either the waiter sees the new value
  // or the signaller sees the waiter.
  std::atomic<uint32_t> waiting_{0};
  std::mutex mutex_;
  std::condition_variable reached_;
  Waiters waiters_;       // guarded by mutex_
  absl::Status failure_;  // guarded by mutex_; set before kFailed
};

// A semaphore of a device with threads. In a forked child, operations on values
// that are not reached return FAILED_PRECONDITION, because the threads that
// would signal them do not exist there.
class ThreadedSemaphore : public HostSemaphore {
 public:
  ThreadedSemaphore(uint64_t value, Ref<WaitHost> host, const void* driver_tag,
                    const ForkMark& mark)
      : HostSemaphore(value, std::move(host), driver_tag), mark_(mark) {}

  absl::StatusOr<uint64_t> Query() override;
  absl::Status Wait(uint64_t value, Deadline deadline) override;
  void OnReached(uint64_t value, Callback callback) override;

 protected:
  // FAILED_PRECONDITION: this process is a forked child.
  absl::Status CheckProcess() const {
    return mark_.Check("The device of a fence");
  }

 private:
  const ForkMark mark_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_HOST_SEMAPHORE_H_
