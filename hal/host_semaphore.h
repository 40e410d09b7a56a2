// A timeline semaphore in host memory: what drivers without one of their own
// use.
//
// Thread-safe. Asking for the value, and signalling with nobody waiting, take
// no lock. Callbacks run on the thread that signals, outside the lock. A thread
// that waits may be lent to a device with work to do.
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

// What blocks threads that wait, and may use them meanwhile. Thread-safe.
class WaitHost : public RefObject {
 public:
  static constexpr RefType kType{"hal.wait_host"};

  // Returns when `done()` says true, or after the deadline. `done` is asked
  // again after each Nudge.
  virtual void WaitUntil(Deadline deadline, absl::FunctionRef<bool()> done) = 0;
  // What a thread waits for may have come.
  virtual void Nudge() = 0;

 protected:
  WaitHost() : RefObject(kType) {}
};

class HostSemaphore : public Semaphore {
 public:
  // Of null, a waiting thread sleeps.
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
  // Calls the callbacks that are left, with CANCELLED.
  ~HostSemaphore() override;

 private:
  // By value, then by age.
  using Waiters = std::multimap<uint64_t, Callback>;
  // Blocks until `value` is reached or the deadline is over.
  void Block(uint64_t value, Deadline deadline);
  // The failure, once known_ is kFailed.
  absl::Status Failure();
  // Takes the waiters up to `value` out, and wakes the blocked.
  Waiters Release(uint64_t value);

  const Ref<WaitHost> host_;
  // Callbacks and blocked threads. One announces itself here before it looks
  // at known_ again; a signaller sets known_ before it looks here.
  std::atomic<uint32_t> waiting_{0};
  std::mutex mutex_;
  std::condition_variable reached_;
  Waiters waiters_;       // guarded by mutex_
  absl::Status failure_;  // guarded by mutex_; set before kFailed
};

// The same of a device with threads. In a child of the process that made it,
// FAILED_PRECONDITION stands for values that are not reached: the threads that
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
  // Of a value that is not reached.
  absl::Status CheckProcess() const {
    return mark_.Check("The device of a fence");
  }

 private:
  const ForkMark mark_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_HOST_SEMAPHORE_H_
