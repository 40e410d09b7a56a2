#include "hal/operation_queue.h"

#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/trace.h"

namespace eyrie::hal {
namespace {

absl::Status Gone(absl::string_view what) {
  return absl::CancelledError(absl::StrCat(
      "The ", what, " was released while the operation was waiting."));
}

}  // namespace

absl::Status OperationQueue::Complete(Fence* signal, absl::Status status) {
  if (signal == nullptr) return status;
  if (status.ok()) [[likely]]
    return signal->Signal();
  signal->Fail(status);
  return status;
}

OperationQueue::Start OperationQueue::Closed(Body body) {
  return [body = std::move(body)](Ending ending) mutable {
    absl::Status status = body(ending.work.get());
    // See QueueFences: release before signalling.
    body = nullptr;
    ending.charge.Reset();
    // No caller is left to return it to.
    Complete(ending.signal.get(), std::move(status)).IgnoreError();
  };
}

absl::Status OperationQueue::Defer(const QueueFences& fences, Start start,
                                   uint64_t kept) {
  absl::StatusOr<MemoryCharge> charge =
      fences.Charge(sizeof(Operation) + kBodyBytes + kept);
  if (!charge.ok()) return fences.Refuse(charge.status());
  // Charged for the semaphores, which may hold it longer than the operation.
  std::shared_ptr<MemoryCharge> waiting;
  if (const uint64_t bytes = fences.wait->WaitBytes(); bytes != 0) {
    absl::StatusOr<MemoryCharge> more = fences.Charge(bytes);
    if (!more.ok()) return fences.Refuse(more.status());
    waiting = std::make_shared<MemoryCharge>(*std::move(more));
  }
  const uint64_t flow = trace::FlowFrom(trace::Name::kRunDeferred);
  Operations made;
  made[0] = {fences.owner, EndingOf(fences, *std::move(charge)),
             std::move(start), absl::OkStatus(), flow};
  Operations::node_type node = made.extract(made.begin());
  uint64_t key = 0;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    key = next_key_++;
    node.key() = key;
    pending_.insert(pending_.end(), std::move(node));
  }
  // Weak, to avoid a reference cycle: the semaphore holds this callback, and a
  // pending operation may hold the semaphore.
  fences.wait->OnReached(
      [queue = weak_from_this(), key, waiting](const absl::Status& status) {
        if (const std::shared_ptr<OperationQueue> self = queue.lock()) {
          self->Arrive(key, status);
        }
      });
  return absl::OkStatus();
}

void OperationQueue::Run(Operation operation) {
  const trace::Span span(trace::Category::kQueue, trace::Name::kRunDeferred);
  trace::FlowTo(trace::Name::kRunDeferred, operation.flow);
  if (operation.waited.ok()) {
    return operation.start(std::move(operation.ending));
  }
  operation.start = nullptr;
  operation.ending.charge.Reset();
  Complete(operation.ending.signal.get(), operation.waited).IgnoreError();
}

void OperationQueue::Arrive(uint64_t key, const absl::Status& status) {
  std::unique_lock<std::mutex> lock(mutex_);
  Operations::node_type operation = pending_.extract(key);
  if (operation.empty()) return;  // cancelled
  operation.mapped().waited = status;
  operation.key() = next_arrival_++;
  ready_.insert(ready_.end(), std::move(operation));
  if (running_) return;
  running_ = true;
  while (!ready_.empty()) {
    Operations::node_type next = ready_.extract(ready_.begin());
    lock.unlock();
    Run(std::move(next.mapped()));
    next = {};
    lock.lock();
  }
  running_ = false;
}

OperationQueue::Operations OperationQueue::Take(const void* owner) {
  Operations taken;
  if (owner == nullptr) {
    taken.swap(pending_);
    return taken;
  }
  for (auto it = pending_.begin(); it != pending_.end();) {
    const auto next = std::next(it);
    if (it->second.owner == owner) taken.insert(pending_.extract(it));
    it = next;
  }
  return taken;
}

void OperationQueue::Cancel(const void* owner) {
  std::unique_lock<std::mutex> lock(mutex_);
  const Operations taken = Take(owner);
  lock.unlock();
  const absl::Status gone = Gone(owner != nullptr ? "context" : "device");
  for (const auto& [key, operation] : taken) {
    Complete(operation.ending.signal.get(), gone).IgnoreError();
  }
}

}  // namespace eyrie::hal
