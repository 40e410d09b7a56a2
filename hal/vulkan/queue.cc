// Submits work and retires it in order.
#include "hal/vulkan/queue.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/trace.h"

namespace eyrie::hal::vulkan {

Queue::Queue(std::shared_ptr<LogicalDevice> device)
    : device_(std::move(device)) {}

absl::StatusOr<std::shared_ptr<Queue>> Queue::Create(
    std::shared_ptr<LogicalDevice> device) {
  std::shared_ptr<Queue> queue(new Queue(std::move(device)));
  VkSemaphoreTypeCreateInfo type = {};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  const LogicalDevice& owner = *queue->device_;
  RETURN_IF_ERROR(Check(owner.fn().vkCreateSemaphore(
                            owner.handle(), &info, nullptr, &queue->timeline_),
                        "vkCreateSemaphore"));
  return queue;
}

Queue::~Queue() {
  Shutdown();
  device_->fn().vkDestroySemaphore(device_->handle(), timeline_, nullptr);
}

void Queue::Shutdown() {
  if (mark().IsForked()) return;
  uint64_t last;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    is_over_ = true;
    last = last_epoch_;
  }
  changed_.notify_all();
  // A callback on this thread may release the last reference to the device.
  service_.Join();
  WaitForEpoch(last, Deadline::Never()).IgnoreError();
  // Mesa's own thread still uses the timeline after it is signalled.
  std::lock_guard<std::mutex> lock(mutex_);
  device_->fn().vkQueueWaitIdle(device_->queue());
}

Queue::Watch::Watch(Queue& queue) : queue_(queue.shared_from_this()) {
  std::lock_guard<std::mutex> lock(queue.mutex_);
  ++queue.watches_;
  status_ = queue.StartService();
}

Queue::Watch::~Watch() {
  std::lock_guard<std::mutex> lock(queue_->mutex_);
  --queue_->watches_;
}

absl::Status Queue::StartService() {
  if (is_over_) return absl::OkStatus();
  if (service_.is_started()) {
    changed_.notify_all();
    return absl::OkStatus();
  }
  // The thread retains the queue until Shutdown stops it.
  ASSIGN_OR_RETURN(
      service_, Thread::Start("the waits of a Vulkan device",
                              [self = shared_from_this()] { self->Serve(); }));
  return absl::OkStatus();
}

void Queue::Serve() {
  trace::SetThreadName("vulkan ", device_->number());
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    Wait(changed_, lock,
         [this] { return is_over_ || (watches_ > 0 && !pending_.empty()); });
    if (is_over_) return;
    const uint64_t epoch = pending_.front().epoch;
    lock.unlock();
    WaitForEpoch(epoch, Deadline::Never()).IgnoreError();
    lock.lock();
  }
}

absl::StatusOr<Queue::Readiness> Queue::Look(const Fence* wait) {
  Readiness readiness = {true, 0};
  if (wait == nullptr) return readiness;
  ASSIGN_OR_RETURN(const bool reached, wait->Query());
  if (reached) return readiness;
  for (const Fence::Point& point : wait->points()) {
    // All semaphores of the device belong to this queue.
    auto& semaphore = static_cast<Semaphore&>(*point.semaphore);
    ASSIGN_OR_RETURN(const uint64_t present, semaphore.HostSemaphore::Query());
    if (present >= point.value) continue;
    const uint64_t epoch = PromisedEpoch(semaphore, point.value);
    if (epoch == 0) return Readiness{false, 0};
    readiness.epoch = std::max(readiness.epoch, epoch);
  }
  return readiness;
}

uint64_t Queue::PromisedEpoch(const Semaphore& semaphore, uint64_t value) {
  std::lock_guard<std::mutex> lock(mutex_);
  uint64_t epoch = 0;
  for (const Semaphore::Promise& promise : semaphore.promises_) {
    if (promise.value < value) continue;
    epoch = epoch == 0 ? promise.epoch : std::min(epoch, promise.epoch);
  }
  return epoch;
}

void Queue::Promise(const Fence& signal, uint64_t epoch) {
  const uint64_t first = pending_.empty() ? epoch : pending_.front().epoch;
  for (const Fence::Point& point : signal.points()) {
    auto& semaphore = static_cast<Semaphore&>(*point.semaphore);
    const auto is_kept = [first](const Semaphore::Promise& promise) {
      return promise.epoch < first;
    };
    auto& promises = semaphore.promises_;
    promises.erase(std::remove_if(promises.begin(), promises.end(), is_kept),
                   promises.end());
    promises.push_back({point.value, epoch});
  }
}

VkResult Queue::SubmitNative(VkCommandBuffer commands, uint64_t after,
                             uint64_t epoch) {
  constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkTimelineSemaphoreSubmitInfo values = {};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = after != 0 ? 1 : 0;
  values.pWaitSemaphoreValues = &after;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &epoch;
  VkSubmitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.waitSemaphoreCount = after != 0 ? 1 : 0;
  info.pWaitSemaphores = &timeline_;
  info.pWaitDstStageMask = &kAll;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &timeline_;
  return device_->fn().vkQueueSubmit(device_->queue(), 1, &info,
                                     VK_NULL_HANDLE);
}

absl::Status Queue::WaitForRoom() {
  RetireIfBusy();
  uint64_t first = 0;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (pending_.size() < kMaxPending) return absl::OkStatus();
    first = pending_.front().epoch;
  }
  return WaitForEpoch(first, Deadline::Never());
}

absl::StatusOr<uint64_t> Queue::Submit(uint64_t after, Kept kept,
                                       Fence* signal) {
  RETURN_IF_ERROR(WaitForRoom());
  std::unique_lock<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(lost_);
  const uint64_t epoch = last_epoch_ + 1;
  const VkResult result = SubmitNative(kept.commands->handle(), after, epoch);
  if (result < 0) {
    const absl::Status status = Check(result, "vkQueueSubmit");
    lock.unlock();
    if (result == VK_ERROR_DEVICE_LOST) Lose(status);
    return status;
  }
  last_epoch_ = epoch;
  if (signal != nullptr) Promise(*signal, epoch);
  Submission& submission = pending_.emplace_back();
  submission.epoch = epoch;
  submission.kept = std::move(kept);
  if (signal != nullptr) {
    submission.signals.assign(signal->points().begin(), signal->points().end());
  }
  is_busy_.store(true, std::memory_order_relaxed);
  if (watches_ > 0) changed_.notify_all();
  return epoch;
}

absl::Status Queue::SignalAfter(uint64_t epoch, Fence* signal) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto pending =
        std::find_if(pending_.begin(), pending_.end(),
                     [epoch](const Submission& s) { return s.epoch >= epoch; });
    if (epoch != 0 && pending != pending_.end()) {
      Promise(*signal, pending->epoch);
      pending->signals.insert(pending->signals.end(), signal->points().begin(),
                              signal->points().end());
      return absl::OkStatus();
    }
  }
  return signal->Signal();
}

void Queue::Retire() {
  uint64_t done = 0;
  const VkResult result = device_->fn().vkGetSemaphoreCounterValue(
      device_->handle(), timeline_, &done);
  if (result < 0) return Lose(Check(result, "vkGetSemaphoreCounterValue"));
  absl::InlinedVector<Submission, 4> retired;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    while (!pending_.empty() && pending_.front().epoch <= done) {
      retired.push_back(std::move(pending_.front()));
      pending_.pop_front();
    }
    is_busy_.store(!pending_.empty(), std::memory_order_relaxed);
  }
  for (Submission& submission : retired) {
    if (Timestamps* const times = submission.kept.commands->timestamps())
        [[unlikely]] {
      times->Report();
    }
    // Release resources before signalling completion.
    submission.kept = {};
    for (const Fence::Point& point : submission.signals) {
      // May fail if another thread signalled a larger value or an error.
      point.semaphore->Signal(point.value).IgnoreError();
    }
  }
}

// Small work often completes before a sleeping thread could wake, so polling
// first saves both latency and processor time. After polls that did not
// succeed, more and more waits skip polling.
bool Queue::LooksReached(uint64_t epoch) {
  constexpr absl::Duration kLook = absl::Microseconds(30);
  constexpr int kLooksPerClock = 16;
  constexpr uint32_t kMaxSkipped = 64;
  const uint32_t skipped = skipped_looks_.load(std::memory_order_relaxed);
  if (skipped != 0) {
    skipped_looks_.store(skipped - 1, std::memory_order_relaxed);
    return false;
  }
  const Deadline end = Deadline::After(kLook);
  do {
    for (int i = 0; i < kLooksPerClock; ++i) {
      uint64_t done = 0;
      if (device_->fn().vkGetSemaphoreCounterValue(device_->handle(), timeline_,
                                                   &done) < 0) {
        return false;
      }
      if (done >= epoch) {
        looks_in_vain_.store(0, std::memory_order_relaxed);
        return true;
      }
    }
  } while (!end.HasPassed());
  const uint32_t in_vain = looks_in_vain_.load(std::memory_order_relaxed);
  const uint32_t next = std::min(2 * in_vain + 1, kMaxSkipped);
  looks_in_vain_.store(next, std::memory_order_relaxed);
  skipped_looks_.store(next, std::memory_order_relaxed);
  return false;
}

bool Queue::WaitNative(uint64_t epoch, Deadline deadline) {
  if (LooksReached(epoch)) return true;
  VkSemaphoreWaitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline_;
  info.pValues = &epoch;
  uint64_t timeout = ~uint64_t{0};
  if (!deadline.IsNever()) {
    timeout = static_cast<uint64_t>(absl::ToInt64Nanoseconds(deadline.Left()));
  }
  const VkResult result =
      device_->fn().vkWaitSemaphores(device_->handle(), &info, timeout);
  if (result < 0) Lose(Check(result, "vkWaitSemaphores"));
  return result == VK_SUCCESS;
}

absl::Status Queue::WaitForEpoch(uint64_t epoch, Deadline deadline) {
  if (epoch == 0) return absl::OkStatus();
  const bool reached = WaitNative(epoch, deadline);
  Retire();
  if (reached) return absl::OkStatus();
  std::lock_guard<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(lost_);
  return absl::DeadlineExceededError(
      "The device's work did not end before the deadline.");
}

void Queue::Lose(const absl::Status& status) {
  std::deque<Submission> failed;
  absl::Status lost;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (lost_.ok()) {
      lost_ = absl::UnavailableError(
          absl::StrCat("The Vulkan device '", device_->physical().name,
                       "' is lost: ", status.message()));
    }
    lost = lost_;
    failed.swap(pending_);
    is_busy_.store(false, std::memory_order_relaxed);
  }
  for (Submission& submission : failed) {
    submission.kept = {};
    for (const Fence::Point& point : submission.signals) {
      point.semaphore->Fail(lost);
    }
  }
}

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
