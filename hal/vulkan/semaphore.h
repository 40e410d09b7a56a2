// Timeline semaphores for the queues of a Vulkan device.
//
// A value is signalled by the host or by submitted work. Once work is
// submitted, its value will be signalled unless the device is lost, so a thread
// that waits for it waits for the work directly, without another thread.
// Thread-safe.
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

  // The submission that will signal `value`.
  struct Promise {
    uint64_t value;
    uint64_t epoch;
  };

  const std::shared_ptr<Queue> queue_;
  absl::InlinedVector<Promise, 2> promises_;  // guarded by the queue's mutex
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_SEMAPHORE_H_
