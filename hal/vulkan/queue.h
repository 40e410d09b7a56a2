// Submits work to a Vulkan queue in order, and signals fences when it is
// complete.
//
// Each submission has an epoch, the value that a Vulkan timeline semaphore
// reaches when it is complete. A submission waits only for earlier submissions,
// so the queue never waits for the host. Completed submissions are retired by
// any thread that waits, submits or queries. If only callbacks wait, the
// queue's own thread does this; it sleeps in the driver. Thread-safe. Shared
// ownership: semaphores may outlive the device.
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
#include "hal/host_semaphore.h"
#include "hal/vulkan/logical_device.h"
#include "hal/vulkan/native_commands.h"

namespace eyrie::hal::vulkan {

class Semaphore;

class Queue : public std::enable_shared_from_this<Queue> {
 public:
  static absl::StatusOr<std::shared_ptr<Queue>> Create(
      std::shared_ptr<LogicalDevice> device);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  ~Queue();

  // While a Watch exists, completed submissions are retired without a call.
  class Watch {
   public:
    explicit Watch(Queue& queue);
    // RESOURCE_EXHAUSTED: the thread could not be started.
    const absl::Status& status() const { return status_; }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch();

   private:
    const std::shared_ptr<Queue> queue_;
    absl::Status status_;
  };

  // Reports whether work that waits for a fence may be submitted now, and the
  // epoch that it must run after. A null fence means no wait. Look returns the
  // fence's own failure as an error.
  struct Readiness {
    bool is_ready;
    uint64_t epoch;
  };
  absl::StatusOr<Readiness> Look(const Fence* wait);

  // Objects to retain until a submission is complete.
  struct Kept {
    Ref<NativeCommands> commands;
    absl::InlinedVector<Ref<RefObject>, 6> objects;
    MemoryCharge charge;
  };
  // Submits recorded commands to run after the epoch `after`; `signal` may be
  // null. Returns the submission's epoch. UNAVAILABLE: the device is lost.
  absl::StatusOr<uint64_t> Submit(uint64_t after, Kept kept, Fence* signal);
  // Signals the fence, which must not be null, after the epoch is reached.
  absl::Status SignalAfter(uint64_t epoch, Fence* signal);

  // Blocks until the epoch is reached, and retires it. DEADLINE_EXCEEDED: it
  // was not reached by the deadline.
  absl::Status WaitForEpoch(uint64_t epoch, Deadline deadline);
  // Returns the epoch that will signal a semaphore's value, or 0 if no
  // submission does yet.
  uint64_t PromisedEpoch(const Semaphore& semaphore, uint64_t value);
  // Signals the fences of all completed submissions.
  void Retire();
  void RetireIfBusy() {
    if (is_busy_.load(std::memory_order_relaxed)) Retire();
  }

  // Identifies the process that created the queue. In a forked child the queue
  // must not be used, and its destructor does not wait.
  const ForkMark& mark() const { return device_->mark(); }

  // Waits for all submissions and stops the queue's thread.
  void Shutdown();

 private:
  struct Submission {
    uint64_t epoch = 0;
    Kept kept;
    absl::InlinedVector<Fence::Point, 2> signals;
  };

  // Limits the pending submissions; further ones block. A submission cannot be
  // withdrawn, so it runs even if its call is cancelled.
  static constexpr size_t kMaxPending = 64;

  explicit Queue(std::shared_ptr<LogicalDevice> device);
  absl::Status WaitForRoom();
  // The following require that the mutex is held.
  VkResult SubmitNative(VkCommandBuffer commands, uint64_t after,
                        uint64_t epoch);
  void Promise(const Fence& signal, uint64_t epoch);
  absl::Status StartService();

  void Serve();
  // Fails all pending and future submissions.
  void Lose(const absl::Status& status);
  // Polls for a few microseconds; returns true if the epoch is reached.
  bool LooksReached(uint64_t epoch);
  // Returns true if the epoch was reached by the deadline. If the wait itself
  // fails, marks the device as lost.
  bool WaitNative(uint64_t epoch, Deadline deadline);

  const std::shared_ptr<LogicalDevice> device_;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::atomic<bool> is_busy_{false};  // submissions are pending
  std::atomic<uint32_t> looks_in_vain_{0};
  std::atomic<uint32_t> skipped_looks_{0};  // still to skip

  std::mutex mutex_;  // guards all below, and the VkQueue
  std::condition_variable changed_;
  uint64_t last_epoch_ = 0;
  std::deque<Submission> pending_;  // ascending by epoch
  absl::Status lost_;
  int watches_ = 0;
  bool is_over_ = false;
  Thread service_;
};

// A timeline semaphore for the queues of a Vulkan device.
//
// A value is signalled by the host or by submitted work. Once work is
// submitted, its value will be signalled unless the device is lost, so a thread
// that waits for it waits for the work directly, without another thread.
// Thread-safe.
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

#endif  // EYRIE_HAL_VULKAN_QUEUE_H_
