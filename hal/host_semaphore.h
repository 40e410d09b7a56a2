// A timeline semaphore in host memory: what drivers without one of their own
// use.
//
// Thread-safe. Asking for the value, and signalling with nobody waiting, take
// no lock. Callbacks run on the thread that signals, outside the lock.
// Tested by fence_test.cc.
#ifndef EYRIE_HAL_HOST_SEMAPHORE_H_
#define EYRIE_HAL_HOST_SEMAPHORE_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "hal/semaphore.h"

namespace eyrie::hal {

class HostSemaphore final : public Semaphore {
 public:
  explicit HostSemaphore(uint64_t value) : value_(value) {}

  absl::StatusOr<uint64_t> Query() override;
  absl::Status Signal(uint64_t value) override;
  void Fail(absl::Status status) override;
  absl::Status Wait(uint64_t value, absl::Time deadline) override;
  void OnReached(uint64_t value, Callback callback) override;

 protected:
  // Calls the callbacks that are left, with CANCELLED.
  ~HostSemaphore() override;

 private:
  // By value, then by age.
  using Waiters = std::multimap<uint64_t, Callback>;
  // Stands in value_ for a failure; never a value.
  static constexpr uint64_t kFailed = ~uint64_t{0};

  // The failure, once value_ is kFailed.
  absl::Status Failure();
  // Takes the waiters up to `value` out, and wakes the blocked.
  Waiters Release(uint64_t value);

  std::atomic<uint64_t> value_;
  // Callbacks and blocked threads. One announces itself here before it looks
  // at value_ again; a signaller sets value_ before it looks here.
  std::atomic<uint32_t> waiting_{0};
  std::mutex mutex_;
  std::condition_variable reached_;
  Waiters waiters_;       // guarded by mutex_
  absl::Status failure_;  // guarded by mutex_; set before kFailed
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_HOST_SEMAPHORE_H_
