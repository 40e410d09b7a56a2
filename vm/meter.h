// Counts what a call uses up, and carries the order to stop into the loop.
//
// The interpreter charges one unit of fuel at every branch backwards and every
// call, and looks at the same places whether it is to stop:
//   if (!meter.Charge()) return Fail(meter.StopReason());
// A context that was stopped stays so: a meter never starts again. A context
// that works for another's calls takes its fuel from that one's WorkBudget.
// Tested by limits_test.cc.
#ifndef EYRIE_VM_METER_H_
#define EYRIE_VM_METER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/work_budget.h"
#include "vm/limits.h"
#include "vm/suspension.h"

namespace eyrie::vm {

class Machine;

// What one call from the host may still use.
struct CallBudget {
  int64_t fuel = static_cast<int64_t>(Limits::kUnlimited);
  absl::Time deadline = absl::InfiniteFuture();
};

// The context's thread's, except Stop and what only reads.
class Meter {
 public:
  enum class Reason : uint8_t { kNone, kDeadline, kCancelled, kStack };

  Meter() = default;
  explicit Meter(const Limits& limits);
  // Of a context that works for others: `source` stands for limits of fuel and
  // time, and stops it.
  Meter(const Limits& limits, std::shared_ptr<WorkBudget> source);
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  // A whole call's, beginning now; work() is refilled.
  CallBudget NewBudget() const;
  // Counts against another call's budget; returns what is left of the former.
  CallBudget Exchange(const CallBudget& budget) {
    return std::exchange(budget_, budget);
  }
  // Gives what a call has taken from the source and not used back to it.
  void Return(const CallBudget& left) {
    if (source_ != nullptr && left.fuel > 0) source_->Give(left.fuel);
  }

  // Takes one unit of fuel. False: the call must end, with StopReason().
  bool Charge() {
    if (--budget_.fuel >= 0 &&
        stop_.load(std::memory_order_relaxed) == Reason::kNone) [[likely]] {
      return true;
    }
    return Renew();
  }
  // The same for work that takes as long as some branches.
  bool Charge(uint32_t units) {
    budget_.fuel -= int64_t{units} - 1;
    return Charge();
  }

  // Ends the call at its next branch backwards or call, and those of contexts
  // that work for it. The first reason counts. Any thread's;
  // async-signal-safe.
  void Stop(Reason reason);
  // True if the call must end for another reason than fuel. Any thread's.
  bool stopped() const {
    return stop_.load(std::memory_order_relaxed) != Reason::kNone;
  }
  // True if the call is over a limit or was told to stop.
  bool exhausted() const { return budget_.fuel < 0 || stopped(); }

  // What devices and contexts that work for this one's calls take their fuel
  // from: in all as much again as a call may use itself.
  const std::shared_ptr<WorkBudget>& work() const { return work_; }

  // When the call must have ended; the infinite future if it need not.
  absl::Time deadline() const { return budget_.deadline; }

  // Who may suspend the running call.
  Suspension suspension;
  // What runs the context's code at present; null between calls.
  const Machine* running = nullptr;

  // RESOURCE_EXHAUSTED: fuel, stack; DEADLINE_EXCEEDED; CANCELLED.
  absl::Status StopReason() const;

 private:
  // Goes on with more fuel from the source, if there is one.
  [[gnu::cold, gnu::noinline]] bool Renew();

  CallBudget budget_;
  std::atomic<Reason> stop_ = Reason::kNone;
  std::shared_ptr<WorkBudget> source_;
  const std::shared_ptr<WorkBudget> work_ = std::make_shared<WorkBudget>();
  uint64_t fuel_limit_ = Limits::kUnlimited;
  absl::Duration timeout_ = absl::InfiniteDuration();
  size_t max_stack_ = Limits::kDefaultStackBytes;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_METER_H_
