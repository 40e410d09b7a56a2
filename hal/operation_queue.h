// The order of a device's operations.
//
// An operation whose wait is met runs at once, on the caller's thread. Another
// is put by, and runs on the thread that reaches its wait; operations that
// become ready while one of them runs are run after it, by the same thread, so
// that a chain of any length needs no stack.
// Thread-safe. Shared: callbacks of semaphores may outlive the device.
// Tested by tests/devices/queue_rows.cc.
#ifndef EYRIE_HAL_OPERATION_QUEUE_H_
#define EYRIE_HAL_OPERATION_QUEUE_H_

#include <cstdint>
#include <deque>
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
  // `work` is what it pays for; may be null.
  using Body = std::function<absl::Status(WorkBudget* work)>;

  // How an operation that was put by ends: whoever takes it over signals the
  // fence, or fails it, and holds the charge until then.
  struct Ending {
    Ref<Fence> signal;
    MemoryCharge charge;
    std::shared_ptr<WorkBudget> work;
  };
  // Of an operation that goes on beyond the caller.
  static Ending EndingOf(const QueueFences& fences, MemoryCharge charge) {
    return {Ref<Fence>::Share(fences.signal), std::move(charge),
            fences.work ? *fences.work : nullptr};
  }
  using Start = std::function<void(Ending ending)>;

  // Runs `now(work)` between the fences, or puts the Body that `later()`
  // returns by: it owns what it needs. Returns what fails at once.
  // `kept` are the bytes that it owns.
  template <typename Now, typename Later>
  absl::Status Submit(const QueueFences& fences, const Now& now,
                      const Later& later, uint64_t kept = 0) {
    return SubmitOpen(
        fences, [&] { return Complete(fences.signal, now(fences.budget())); },
        [&] { return Closed(later()); }, kept);
  }

  // The same for operations that end themselves: `now()` signals, or sees to
  // it, and `later()` returns a Start.
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

  // Puts an operation by until its wait, not null, is over; `kept` bytes are
  // its own. RESOURCE_EXHAUSTED: too much is put by already.
  absl::Status Defer(const QueueFences& fences, Start start, uint64_t kept);

  // Signals the fence, or fails it. Null: nobody to tell.
  static absl::Status Complete(Fence* signal, absl::Status status);

  // Fails what an owner has put by, with CANCELLED; of null, all that is.
  void Cancel(const void* owner);

 private:
  struct Operation {
    const void* owner;
    Ending ending;
    Start start;
    absl::Status waited;  // how the wait ended
    uint64_t flow;        // from where it was put by, of a trace
  };
  // By age. What waits for one's fence knows it by its key.
  using Operations = std::map<uint64_t, Operation>;
  // What an operation takes beside its struct: its body, and its place among
  // the waiters of the fence.
  static constexpr uint64_t kBodyBytes = 256;

  // A Start that runs the body, lets go of what it owns, and completes.
  static Start Closed(Body body);

  // Starts an operation, or ends it if its wait failed.
  static void Run(Operation operation);
  // The wait of a pending operation is over.
  void Arrive(uint64_t key, const absl::Status& status);
  // Takes out what an owner has put by; of null, all.
  Operations Take(const void* owner);

  std::mutex mutex_;  // guards all below
  Operations pending_;
  std::deque<Operations::node_type> ready_;
  uint64_t next_key_ = 0;
  bool running_ = false;  // a thread is running what is ready
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_OPERATION_QUEUE_H_
