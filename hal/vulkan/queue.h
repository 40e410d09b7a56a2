// What is submitted to a Vulkan queue, in order, and what is told when it is
// done.
//
// Each submission has an epoch, which a timeline of Vulkan's has once it is
// done. None waits for anything but earlier ones: the queue never stands still
// for the host's sake. What is done is retired by whoever looks: a thread that
// waits, submits or asks; where only callbacks wait, by a thread of the queue's
// own, which sleeps in the driver.
// Thread-safe. Shared: semaphores outlive the device.
// Tested by queue_test.cc.
#ifndef EYRIE_HAL_VULKAN_QUEUE_H_
#define EYRIE_HAL_VULKAN_QUEUE_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/deadline.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "base/thread.h"
#include "hal/fence.h"
#include "hal/vulkan/logical_device.h"
#include "hal/vulkan/native_commands.h"
#include "hal/vulkan/semaphore.h"

namespace eyrie::hal::vulkan {

class Queue : public std::enable_shared_from_this<Queue> {
 public:
  static absl::StatusOr<std::shared_ptr<Queue>> Create(
      std::shared_ptr<LogicalDevice> device);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  ~Queue();

  // While it exists, what is done is retired without anybody's asking.
  class Watch {
   public:
    explicit Watch(Queue& queue);
    // RESOURCE_EXHAUSTED: there is no thread that could see to it.
    const absl::Status& status() const { return status_; }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch();

   private:
    const std::shared_ptr<Queue> queue_;
    absl::Status status_;
  };

  // Whether work may be submitted that waits for a fence, and after which
  // epoch it is to run. Null waits for nothing. A failure is the fence's.
  struct Readiness {
    bool is_ready;
    uint64_t epoch;
  };
  absl::StatusOr<Readiness> Look(const Fence* wait);

  // What a submission needs until it is done.
  struct Kept {
    Ref<NativeCommands> commands;
    absl::InlinedVector<Ref<RefObject>, 6> objects;
    MemoryCharge charge;
  };
  // Submits recorded commands, to run after an epoch; `signal` may be null.
  // Returns the submission's epoch, or UNAVAILABLE: the device is lost.
  absl::StatusOr<uint64_t> Submit(uint64_t after, Kept kept, Fence* signal);
  // Signals the fence, not null, once an epoch has been reached.
  absl::Status SignalAfter(uint64_t epoch, Fence* signal);

  // Blocks until an epoch is reached, and retires it. DEADLINE_EXCEEDED: not
  // by then.
  absl::Status WaitForEpoch(uint64_t epoch, Deadline deadline);
  // The epoch that a value of a semaphore is promised for; 0: none yet.
  uint64_t PromisedEpoch(const Semaphore& semaphore, uint64_t value);
  // Tells who waits for what is done by now.
  void Retire();
  void RetireIfBusy() {
    if (is_busy_.load(std::memory_order_relaxed)) Retire();
  }

  // The process that the queue is of. In a child of it the queue is not used,
  // and its end waits for nothing.
  const ForkMark& mark() const { return device_->mark(); }

  // Waits for all that is submitted, and ends the queue's thread.
  void Shutdown();

 private:
  struct Submission {
    uint64_t epoch = 0;
    Kept kept;
    absl::InlinedVector<Fence::Point, 2> signals;
  };

  // Who submits more waits for the first of these: what is submitted cannot be
  // taken back, and is still run if a call is cancelled.
  static constexpr size_t kMaxPending = 64;

  explicit Queue(std::shared_ptr<LogicalDevice> device);
  absl::Status WaitForRoom();
  // With the mutex held:
  VkResult SubmitNative(VkCommandBuffer commands, uint64_t after,
                        uint64_t epoch);
  void Promise(const Fence& signal, uint64_t epoch);
  absl::Status StartService();

  void Serve();
  // Fails all that is pending, and all that comes.
  void Lose(const absl::Status& status);
  // True if the epoch is reached within some microseconds.
  bool LooksReached(uint64_t epoch);
  // Returns true if the epoch was reached in time; loses the device if it
  // cannot be waited for.
  bool WaitNative(uint64_t epoch, Deadline deadline);

  const std::shared_ptr<LogicalDevice> device_;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::atomic<bool> is_busy_{false};  // something is pending
  std::atomic<uint32_t> looks_in_vain_{0};
  std::atomic<uint32_t> skipped_looks_{0};  // to come

  std::mutex mutex_;  // guards all below, and Vulkan's queue
  std::condition_variable changed_;
  uint64_t last_epoch_ = 0;
  std::deque<Submission> pending_;  // by epoch
  absl::Status lost_;
  int watches_ = 0;
  bool is_over_ = false;
  Thread service_;
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_QUEUE_H_
