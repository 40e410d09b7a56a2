// Counts what a call uses up, and carries the order to stop into the loop.
//
// The interpreter charges one unit of fuel at every branch backwards and every
// call, and looks at the same places whether it is to stop:
//   if (!meter.Charge()) return Fail(meter.StopReason());
// A context that was stopped stays so: a meter never starts again. A context
// that works for another's calls takes its fuel from that one's WorkBudget.
// Tested by vm/run/limits_test.cc.
#ifndef EYRIE_VM_LIMITS_METER_H_
#define EYRIE_VM_LIMITS_METER_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/work_budget.h"
#include "vm/limits/limits.h"
#include "vm/limits/suspension.h"

namespace eyrie::vm {

class HostCall;
class Machine;
class Stepper;

// What one call from the host may still use.
struct CallBudget {
  int64_t fuel = static_cast<int64_t>(Limits::kUnlimited);
  int64_t held = 0;  // further fuel, which is not to be used before a tick
  Deadline deadline;
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
  CallBudget NewBudget() const {
    CallBudget budget;
    budget.fuel = std::min(fuel_limit_, first_portion_);
    budget.held = fuel_limit_ - budget.fuel;
    work_->Refill(fuel_limit_);
    if (has_timeout()) [[unlikely]]
      budget.deadline = DeadlineFromNow();
    return budget;
  }
  // Counts against another call's budget; returns what is left of the former.
  CallBudget Exchange(const CallBudget& budget) {
    Reclaim();
    // Part by part: the fuel was written just now, and reading it back as a
    // part of the whole would keep the processor waiting.
    CallBudget left;
    left.fuel = std::exchange(budget_.fuel, budget.fuel);
    left.held = std::exchange(budget_.held, budget.held);
    if (!budget.deadline.IsNever() || !budget_.deadline.IsNever())
        [[unlikely]] {
      left.deadline = std::exchange(budget_.deadline, budget.deadline);
    }
    return left;
  }
  // Moves the running call's deadline.
  void Extend(absl::Duration by) {
    budget_.deadline = budget_.deadline.Plus(by);
  }
  // Gives what a call has taken from the source and not used back to it.
  void Return(const CallBudget& left) {
    const int64_t fuel = left.fuel + left.held;
    if (source_ != nullptr && fuel > 0) source_->Give(fuel);
  }

  // Takes one unit of fuel. False: the call must end, with StopReason().
  bool Charge() { return ChargeShortly() || Renew(); }
  // The same in two parts: false, and Renew has to be asked.
  bool ChargeShortly() {
    return --budget_.fuel >= 0 &&
           stop_.load(std::memory_order_relaxed) == Reason::kNone;
  }
  // Goes on with fuel that was held back, or with more from the source.
  [[gnu::cold, gnu::noinline]] bool Renew();
  // The same for work that takes as long as some branches.
  bool Charge(uint32_t units) {
    budget_.fuel -= int64_t{units} - 1;
    return Charge();
  }

  // For compiled code, which counts fuel itself: `credit` is what it has taken
  // and not used, or owes, wherever it has called C++. The meter takes it back
  // when it needs it. Who begins is given what another one's was, to end with.
  int64_t* BeginLending(int64_t* credit) {
    Reclaim();
    return std::exchange(lent_, credit);
  }
  void EndLending(int64_t* before) {
    Reclaim();
    lent_ = before;
    HoldBack();
  }
  void Reclaim() {
    if (lent_ != nullptr) budget_.fuel += std::exchange(*lent_, 0);
  }
  // Lends up to `most` units, none if the call is to stop.
  void Lend(int64_t most) {
    Release();
    const int64_t taken =
        stopped() ? 0 : std::clamp<int64_t>(budget_.fuel, 0, most);
    budget_.fuel -= taken;
    *lent_ = taken;
  }
  // As Charge, of a unit that is owed.
  bool Settle() {
    Release();
    return !exhausted() || Renew();
  }

  // For who looks which functions are hot: with every kTick units of a call
  // Renew is asked, and TakeTick is true once; CountCall is with every kCalls.
  static constexpr int64_t kTick = 4096;
  static constexpr int64_t kCalls = 256;
  void BeginTicks() {
    first_portion_ = kTick;
    calls_until_tick_ = kCalls;
  }
  bool TakeTick() { return std::exchange(ticked_, false); }
  bool CountCall() {
    if (--calls_until_tick_ > 0) [[likely]]
      return false;
    calls_until_tick_ = kCalls;
    return true;
  }

  // Ends the call at its next branch backwards or call, and those of contexts
  // that work for it. The first reason counts. Any thread's;
  // async-signal-safe.
  void Stop(Reason reason);
  // True if the call must end for another reason than fuel. Any thread's.
  bool stopped() const {
    return stop_.load(std::memory_order_relaxed) != Reason::kNone;
  }
  // For compiled code: a byte that is 0 until then.
  const std::atomic<Reason>* stop_flag() const { return &stop_; }
  // True if the call is over a limit or was told to stop.
  bool exhausted() const {
    const int64_t lent = lent_ == nullptr ? 0 : *lent_;
    return budget_.fuel + budget_.held + lent < 0 || stopped();
  }

  // What devices and contexts that work for this one's calls take their fuel
  // from: in all as much again as a call may use itself.
  const std::shared_ptr<WorkBudget>& work() const { return work_; }

  // Reports whether calls have a deadline.
  bool has_timeout() const { return timeout_ != absl::InfiniteDuration(); }
  // When the call must have ended.
  Deadline deadline() const { return budget_.deadline; }

  // Who may suspend the running call.
  Suspension suspension;
  // What runs the context's code at present; null between calls.
  const Machine* running = nullptr;
  // Who is asked before instructions; may be null.
  Stepper* stepper = nullptr;
  // The call that has a deadline; null if none has.
  HostCall* timed = nullptr;

  // RESOURCE_EXHAUSTED: fuel, stack; DEADLINE_EXCEEDED; CANCELLED.
  absl::Status StopReason() const;

 private:
  static constexpr auto kUnlimited = static_cast<int64_t>(Limits::kUnlimited);

  bool ticks() const { return first_portion_ == kTick; }
  // What is beyond the next tick is held back.
  void HoldBack() {
    if (!ticks() || budget_.fuel <= until_tick_) return;
    budget_.held += budget_.fuel - until_tick_;
    budget_.fuel = until_tick_;
  }
  void Release() {
    Reclaim();
    if (budget_.held == 0) return;
    until_tick_ = std::max<int64_t>(budget_.fuel, 1);
    budget_.fuel += std::exchange(budget_.held, 0);
  }

  Deadline DeadlineFromNow() const;

  CallBudget budget_;
  int64_t* lent_ = nullptr;  // the credit of who runs compiled code
  int64_t until_tick_ = kTick;
  int64_t first_portion_ = kUnlimited;  // of a call's fuel
  int64_t calls_until_tick_ = kUnlimited;
  bool ticked_ = false;
  std::atomic<Reason> stop_ = Reason::kNone;
  std::shared_ptr<WorkBudget> source_;
  const std::shared_ptr<WorkBudget> work_ = std::make_shared<WorkBudget>();
  int64_t fuel_limit_ = kUnlimited;
  absl::Duration timeout_ = absl::InfiniteDuration();
  size_t max_stack_ = Limits::kDefaultStackBytes;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LIMITS_METER_H_
