// Timeline semaphores of a Vulkan device's queues.
//
// A value is reached by the host, or by work that has been submitted: that is
// a promise, which only the loss of the device breaks. Who waits for a promise
// waits for the work itself, with no thread between. Thread-safe.
// Tested by queue_test.cc.
#ifndef EYRIE_HAL_VULKAN_SEMAPHORE_H_
#define EYRIE_HAL_VULKAN_SEMAPHORE_H_

#include <cstdint>
#include <memory>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "hal/host_semaphore.h"

namespace eyrie::hal::vulkan {

class Queue;

class Semaphore final : public ThreadedSemaphore {
 public:
  Semaphore(uint64_t value, std::shared_ptr<Queue> queue);

  absl::StatusOr<uint64_t> Query() override;
  absl::Status Wait(uint64_t value, Deadline deadline) override;
  void OnReached(uint64_t value, Callback callback) override;

 private:
  friend class Queue;

  // The submission with which `value` will have been reached.
  struct Promise {
    uint64_t value;
    uint64_t epoch;
  };

  const std::shared_ptr<Queue> queue_;
  absl::InlinedVector<Promise, 2> promises_;  // guarded by the queue's mutex
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_SEMAPHORE_H_
