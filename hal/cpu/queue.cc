// Operations that wait.
//
// Tested by queue_test.cc.
#include "hal/cpu/queue.h"

#include <utility>

namespace eyrie::hal::cpu {
namespace {

absl::Status DeviceGone() {
  return absl::CancelledError(
      "The device was released before the operation's wait was over.");
}

}  // namespace

absl::Status Queue::Complete(Fence* signal, absl::Status status) {
  if (signal == nullptr) return status;
  if (status.ok()) [[likely]] return signal->Signal();
  signal->Fail(status);
  return status;
}

absl::Status Queue::Defer(QueueFences fences, Body body, uint64_t kept) {
  absl::StatusOr<MemoryCharge> charge =
      fences.Charge(sizeof(Operation) + kBodyBytes + kept);
  if (!charge.ok()) return Complete(fences.signal, charge.status());
  Operations::iterator operation;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    pending_.push_front({Ref<Fence>::Share(fences.signal), std::move(body),
                         *std::move(charge), absl::OkStatus()});
    operation = pending_.begin();
  }
  // Weak: a semaphore that is never signalled must not keep what waits for
  // it, which may hold that very semaphore.
  fences.wait->OnReached(
      [queue = weak_from_this(), operation](const absl::Status& s) {
        if (const std::shared_ptr<Queue> self = queue.lock()) {
          self->Arrive(operation, s);
        }
      });
  return absl::OkStatus();
}

void Queue::Arrive(Operations::iterator operation, const absl::Status& status) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (cancelled_) return;
  operation->waited = status;
  ready_.splice(ready_.end(), pending_, operation);
  if (running_) return;
  running_ = true;
  while (!ready_.empty()) {
    Operations one;
    one.splice(one.end(), ready_, ready_.begin());
    lock.unlock();
    Operation& next = one.front();
    absl::Status result = next.waited.ok() ? next.body() : next.waited;
    // Whoever waits hears of it by the fence; there is no caller to tell.
    Complete(next.signal.get(), std::move(result)).IgnoreError();
    one.clear();
    lock.lock();
  }
  running_ = false;
}

void Queue::Cancel() {
  Operations dropped;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    cancelled_ = true;
    dropped.swap(pending_);
  }
  for (Operation& operation : dropped) {
    Complete(operation.signal.get(), DeviceGone()).IgnoreError();
  }
}

}  // namespace eyrie::hal::cpu
