// The order of a synchronous device's operations.
//
// An operation whose wait is met runs at once, on the caller's thread. Another
// is put by, and runs on the thread that reaches its wait; operations that
// become ready while one of them runs are run after it, by the same thread, so
// that a chain of any length needs no stack.
// Thread-safe. Shared: callbacks of semaphores may outlive the device.
// Tested by queue_test.cc.
#ifndef EYRIE_HAL_CPU_QUEUE_H_
#define EYRIE_HAL_CPU_QUEUE_H_

#include <functional>
#include <list>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/fence.h"

namespace eyrie::hal::cpu {

class Queue : public std::enable_shared_from_this<Queue> {
 public:
  using Body = std::function<absl::Status()>;

  // Runs `now()` between the fences, or puts the Body that `later()` returns
  // by: it owns what it needs. Returns what fails at once.
  template <typename Now, typename Later>
  absl::Status Submit(QueueFences fences, Now now, Later later) {
    if (fences.wait != nullptr) {
      const absl::StatusOr<bool> reached = fences.wait->Query();
      if (!reached.ok()) [[unlikely]] {
        return Complete(fences.signal, reached.status());
      }
      if (!*reached) [[unlikely]] {
        Defer(*fences.wait, Ref<Fence>::Share(fences.signal), later());
        return absl::OkStatus();
      }
    }
    return Complete(fences.signal, now());
  }

  // Fails what is still put by, with CANCELLED; what comes later too.
  void Cancel();

 private:
  struct Operation {
    Ref<Fence> signal;
    Body body;
    absl::Status waited;  // how the wait ended
  };
  using Operations = std::list<Operation>;

  // Signals the fence, or fails it. Null: nobody to tell.
  static absl::Status Complete(Fence* signal, absl::Status status);

  void Defer(Fence& wait, Ref<Fence> signal, Body body);
  // The wait of a pending operation is over.
  void Arrive(Operations::iterator operation, const absl::Status& status);

  std::mutex mutex_;  // guards all below
  Operations pending_;
  Operations ready_;
  bool running_ = false;    // a thread is running what is ready
  bool cancelled_ = false;  // pending_ stays empty
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_QUEUE_H_
