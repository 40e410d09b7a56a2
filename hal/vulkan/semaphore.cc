// Waits for submitted work.
//
// Tested by queue_test.cc.
#include "hal/vulkan/semaphore.h"

#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "hal/vulkan/queue.h"

namespace eyrie::hal::vulkan {

Semaphore::Semaphore(uint64_t value, std::shared_ptr<Queue> queue)
    : ThreadedSemaphore(value, /*host=*/nullptr, queue.get(), queue->mark()),
      queue_(std::move(queue)) {}

absl::StatusOr<uint64_t> Semaphore::Query() {
  if (known() != kFailed) RETURN_IF_ERROR(CheckProcess());
  queue_->RetireIfBusy();
  return HostSemaphore::Query();
}

absl::Status Semaphore::Wait(uint64_t value, Deadline deadline) {
  const absl::StatusOr<uint64_t> present = HostSemaphore::Query();
  if (!present.ok() || *present >= value) {
    return HostSemaphore::Wait(value, deadline);
  }
  RETURN_IF_ERROR(CheckProcess());
  if (const uint64_t epoch = queue_->PromisedEpoch(*this, value)) {
    // The semaphore, not the queue, has the outcome.
    queue_->WaitForEpoch(epoch, deadline).IgnoreError();
    return HostSemaphore::Wait(value, deadline);
  }
  // The work is not submitted yet, or the host will signal.
  const Queue::Watch watch(*queue_);
  RETURN_IF_ERROR(watch.status());
  return HostSemaphore::Wait(value, deadline);
}

void Semaphore::OnReached(uint64_t value, Callback callback) {
  const absl::Status usable =
      known() < value ? CheckProcess() : absl::OkStatus();
  if (!usable.ok()) return callback(usable);
  const absl::StatusOr<uint64_t> present = Query();
  if (!present.ok() || *present >= value) {
    return HostSemaphore::OnReached(value, std::move(callback));
  }
  // Until then, the queue's thread must retire submissions.
  auto watch = std::make_shared<Queue::Watch>(*queue_);
  if (!watch->status().ok()) return callback(watch->status());
  HostSemaphore::OnReached(
      value, [callback = std::move(callback), watch = std::move(watch)](
                 const absl::Status& status) { callback(status); });
}

}  // namespace eyrie::hal::vulkan
