// Runs a device's operations once their wait fences are reached.
//
// An operation whose wait fence is reached runs at once, on the caller's
// thread. Otherwise it is deferred, and runs on the thread that signals its
// wait fence. Deferred operations that become ready while another one runs are
// run after it, in a loop, so that chains of any length do not overflow the
// stack. Thread-safe. Held by shared_ptr, because semaphores' callbacks may
// outlive the device.
// Tested by tests/devices/queue_rows.cc.
#ifndef EYRIE_HAL_OPERATION_QUEUE_H_
#define EYRIE_HAL_OPERATION_QUEUE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "base/work_budget.h"
#include "hal/device.h"
#include "hal/fence.h"

namespace eyrie::hal {

class OperationQueue : public std::enable_shared_from_this<OperationQueue> {
 public:
  // Runs an operation; `work` pays for it and may be null.
  using Body = std::function<absl::Status(WorkBudget* work)>;

  // How a deferred operation ends. Its Start must eventually release `charge`,
  // then signal or fail `signal` (may be null).
  struct Ending {
    Ref<Fence> signal;
    MemoryCharge charge;
    std::shared_ptr<WorkBudget> work;
  };
  // Creates the ending of an operation that outlives the call, from its fences.
  static Ending EndingOf(const QueueFences& fences, MemoryCharge charge) {
    return {Ref<Fence>::Share(fences.signal), std::move(charge),
            fences.work ? *fences.work : nullptr};
  }
  using Start = std::function<void(Ending ending)>;

  // Runs `now(work)` and signals or fails the signal fence; or, if the wait
  // fence is not reached, defers the Body that `later()` returns. The Body must
  // own all that it uses, `kept` bytes of it. Returns errors known by then.
  template <typename Now, typename Later>
  absl::Status Submit(const QueueFences& fences, const Now& now,
                      const Later& later, uint64_t kept = 0) {
    return SubmitOpen(
        fences, [&] { return Complete(fences.signal, now(fences.budget())); },
        [&] { return Closed(later()); }, kept);
  }

  // Submits an operation that signals or fails the fence itself, possibly after
  // the call returns: `now()` does so, and `later()` returns a Start that does.
  template <typename Now, typename Later>
  absl::Status SubmitOpen(const QueueFences& fences, const Now& now,
                          const Later& later, uint64_t kept = 0) {
    if (fences.wait != nullptr && !fences.wait->IsKnownReached()) {
      const absl::StatusOr<bool> reached = fences.wait->Query();
      if (!reached.ok()) [[unlikely]] {
        return fences.Refuse(reached.status());
      }
      if (!*reached) [[unlikely]]
        return Defer(fences, later(), kept);
    }
    return now();
  }

  // Defers an operation until its wait fence (not null) is reached; it owns
  // `kept` bytes. RESOURCE_EXHAUSTED: over the limit of fences.memory. Errors
  // also fail the signal fence.
  absl::Status Defer(const QueueFences& fences, Start start, uint64_t kept);

  // Signals the fence, or fails it if `status` is an error; returns the result.
  // `signal` may be null.
  static absl::Status Complete(Fence* signal, absl::Status status);

  // Fails the deferred operations of `owner` with CANCELLED; all of them if
  // `owner` is null.
  void Cancel(const void* owner);

 private:
  struct Operation {
    const void* owner;
    Ending ending;
    Start start;
    absl::Status waited;  // how the wait ended
    uint64_t flow;        // of the trace, from Defer to Run
  };
  // Ordered by age. Callbacks on wait fences find operations by key. Entries
  // are created before the lock is taken, and freed after it is released.
  using Operations = std::map<uint64_t, Operation>;
  // Estimated bytes per operation beside its struct: its body and its entry in
  // the semaphore's waiters.
  static constexpr uint64_t kBodyBytes = 256;

  // Returns a Start that runs the body, releases what it owns, and completes.
  static Start Closed(Body body);

  // Starts an operation, or fails it if its wait failed.
  static void Run(Operation operation);
  // Called when the wait of a pending operation ends, with its result.
  void Arrive(uint64_t key, const absl::Status& status);
  // Removes and returns the pending operations of `owner`; all if it is null.
  Operations Take(const void* owner);

  std::mutex mutex_;  // guards all below
  Operations pending_;
  Operations ready_;  // by the order of their arrival
  uint64_t next_key_ = 0;
  uint64_t next_arrival_ = 0;
  bool running_ = false;  // a thread is running ready operations
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_OPERATION_QUEUE_H_
