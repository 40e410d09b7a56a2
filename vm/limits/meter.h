// Counts the fuel of a call, and delivers orders to stop it.
//
// The interpreter charges one unit of fuel at every backward branch and every
// call, and checks at the same places whether the call must stop:
//   if (!meter.Charge()) return Fail(meter.StopReason());
// Once stopped, a meter stays stopped, unless only a limit of the call itself
// was the reason (call_limits.h). A context that works for another's calls
// takes its fuel from the other's WorkBudget. Tested by vm/run/limits_test.cc,
// vm/run/call_limits_test.cc.
#ifndef EYRIE_VM_LIMITS_METER_H_
#define EYRIE_VM_LIMITS_METER_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/ref.h"
#include "base/work_budget.h"
#include "vm/limits/call_limits.h"
#include "vm/limits/limits.h"
#include "vm/limits/suspension.h"

namespace eyrie::vm {

class HostCall;
class Machine;
class Stepper;

// The remaining budget of one call from the host.
struct CallBudget {
  int64_t fuel = static_cast<int64_t>(Limits::kUnlimited);
  int64_t held = 0;  // further fuel, released after the next tick
  Deadline deadline;
};

// See Meter::failed. Operands after the first few are left out.
struct FailedOperands {
  static constexpr uint32_t kMost = 8;

  const RefObject* refs[kMost];
  uint32_t count = 0;
};

// Must be used on the context's thread, except where stated otherwise.
class Meter {
 public:
  enum class Reason : uint8_t {
    kNone,
    // Limits of the context, which fail it.
    kDeadline,
    kCancelled,
    kStack,
    // Limits of a LimitedCall, which end only this call.
    kCallDeadline,
    kCallCancelled,
  };

  Meter() = default;
  explicit Meter(const Limits& limits);
  // For a context that works for another's calls: `source` replaces the limits
  // of fuel and time, and stops the meter.
  Meter(const Limits& limits, std::shared_ptr<WorkBudget> source);
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  // Returns the budget of a call that starts now, and refills work().
  CallBudget NewBudget() const {
    CallBudget budget;
    budget.fuel = std::min(fuel_limit_, first_portion_);
    budget.held = fuel_limit_ - budget.fuel;
    work_->Refill(fuel_limit_);
    if (has_limits_) [[unlikely]]
      Limit(budget);
    return budget;
  }
  // Switches to another call's budget. Returns what remains of the previous
  // one.
  CallBudget Exchange(const CallBudget& budget) {
    Reclaim();
    // Field by field: the fuel was just written, and reading the whole struct
    // back at once would stall the processor.
    CallBudget left;
    left.fuel = std::exchange(budget_.fuel, budget.fuel);
    left.held = std::exchange(budget_.held, budget.held);
    if (!budget.deadline.IsNever() || !budget_.deadline.IsNever())
        [[unlikely]] {
      left.deadline = std::exchange(budget_.deadline, budget.deadline);
    }
    return left;
  }
  // Returns what remains of the running call's budget, which ends.
  CallBudget Leave() {
    Reclaim();
    CallBudget left;
    left.fuel = budget_.fuel;
    left.held = budget_.held;
    return left;
  }
  // Ends the running call's budget as Leave does, if it may have a deadline.
  CallBudget LeaveTimed() {
    CallBudget left = Leave();
    left.deadline = std::exchange(budget_.deadline, Deadline());
    return left;
  }
  // Returns the fuel that the last call used, also if it was suspended. Must be
  // called between calls.
  uint64_t FuelUsed() const {
    return static_cast<uint64_t>(fuel_limit_ - budget_.fuel - budget_.held);
  }
  // Postpones the running call's deadline.
  void Extend(absl::Duration by) {
    budget_.deadline = budget_.deadline.Plus(by);
  }
  // Gives the fuel that a call took from the source and did not use back to it.
  void Return(const CallBudget& left) {
    const int64_t fuel = left.fuel + left.held;
    if (payer_ != nullptr && fuel > 0) payer_->Give(fuel);
  }
  // For a context that works for another's calls: takes the fuel of later calls
  // from `payer`, which must outlive them; if it is null, from the source that
  // the meter was created with.
  void TakeFuelFrom(WorkBudget* payer) {
    payer_ = payer != nullptr ? payer : source_.get();
  }

  // Takes one unit of fuel. Returns false if the call must end with
  // StopReason().
  bool Charge() { return ChargeShortly() || Renew(); }
  // The fast path of Charge. If it returns false, Renew decides.
  bool ChargeShortly() {
    return --budget_.fuel >= 0 &&
           stop_.load(std::memory_order_relaxed) == Reason::kNone;
  }
  // Continues with fuel that was held back, or with fuel from the source.
  // Returns false if the call must end.
  [[gnu::cold, gnu::noinline]] bool Renew();
  // Takes `units` for work that takes as long as this number of branches.
  bool Charge(uint32_t units) {
    budget_.fuel -= int64_t{units} - 1;
    return Charge();
  }

  // For compiled code, which counts fuel itself. `credit` is the fuel that it
  // has taken and not used yet; negative if it owes some. It must be up to date
  // whenever compiled code calls C++; the meter may take it back then. Calls
  // nest: BeginLending returns the previous credit, which must be passed to
  // EndLending.
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
  // Lends up to `most` units; none if the call must stop.
  void Lend(int64_t most) {
    Release();
    const int64_t taken =
        stopped() ? 0 : std::clamp<int64_t>(budget_.fuel, 0, most);
    budget_.fuel -= taken;
    *lent_ = taken;
  }
  // Charge for a unit that compiled code already owes.
  bool Settle() {
    Release();
    return !exhausted() || Renew();
  }

  // Ticks help to find hot functions. After BeginTicks, Renew is called about
  // every kTick units of a call, and TakeTick then returns true once; CountCall
  // returns true at every kCalls-th call.
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

  // Ends the call at its next backward branch or call; likewise those of
  // contexts that work for it. Only the first reason counts, but one that fails
  // the context replaces one that does not. May be called by any thread;
  // async-signal-safe. A reason of the call alone may only be given between
  // BeginLimited and EndLimited.
  void Stop(Reason reason);
  // Reports whether the context must fail, because of stop().
  bool stopped_for_good() const {
    const Reason reason = stop_.load(std::memory_order_relaxed);
    return reason != Reason::kNone && !IsOfCall(reason);
  }
  // The alarm of a call at its deadline. May be called by any thread.
  void StopLate() { Stop(alarm_reason_.load(std::memory_order_relaxed)); }
  // Reports whether the call must end for a reason other than fuel. May be
  // called by any thread.
  bool stopped() const {
    return stop_.load(std::memory_order_relaxed) != Reason::kNone;
  }
  // For compiled code: a byte that is 0 unless stopped().
  const std::atomic<Reason>* stop_flag() const { return &stop_; }
  // Reports whether the call has exceeded a limit or was told to stop.
  bool exhausted() const {
    const int64_t lent = lent_ == nullptr ? 0 : *lent_;
    return budget_.fuel + budget_.held + lent < 0 || stopped();
  }

  // The fuel of devices and contexts that work for the running call. In total
  // they may use as much as the call itself.
  const std::shared_ptr<WorkBudget>& work() const { return call_work_; }
  // The fuel for work that is not part of one call, such as that of objects
  // which outlive it.
  const std::shared_ptr<WorkBudget>& context_work() const { return work_; }

  // Sets the limits of the calls that begin from now on; null: only those of
  // the context. Returns the old value. See Context::LimitScope.
  LimitedCall* set_next(LimitedCall* next);
  // Applies the limits of the next call to the running one, whose budget is
  // `budget`. Returns null if it has none.
  LimitedCall* BeginLimited(const CallBudget& budget);
  // Applies limits of time to work() while no call of the context runs:
  // operations that the call with this deadline has queued end by then.
  void LimitQueuedWork(Deadline deadline);
  // Ends that: the call that begins has its own alarm.
  void FreeQueuedWork() {
    work_->EndBy(Deadline::Never());
    call_work_->EndBy(Deadline::Never());
  }
  // Returns the limits of the running call; null if it has none of its own.
  const LimitedCall* limited() const { return limited_; }
  // Reports whether `fuel_left` or the device's work exceeds the running call's
  // own fuel, but not the context's.
  bool HasUsedOwnFuel(int64_t fuel_left) const;
  // Ends the effect of BeginLimited, including a stop that only concerns the
  // call. All threads that may stop the call must have been detached before.
  void EndLimited(const CallBudget& left);

  // Deadlines of calls that have other limits than time.
  static constexpr Deadline kNoDeadline =
      Deadline::FromNanoseconds(std::numeric_limits<int64_t>::max() / 2);

  // Reports whether calls have a deadline.
  bool has_timeout() const { return timeout_ != absl::InfiniteDuration(); }
  // The running call's deadline.
  Deadline deadline() const { return budget_.deadline; }

  // Whether and how the running call may be suspended.
  Suspension suspension;
  // The machine that is running the context's code; null between calls.
  const Machine* running = nullptr;
  // The references that the import was given whose error ended the last call;
  // none if another instruction did. They may be gone: compare them only.
  FailedOperands failed;
  // Called before instructions; may be null.
  Stepper* stepper = nullptr;
  // The running call if it has a deadline, else null.
  HostCall* timed = nullptr;

  // Returns RESOURCE_EXHAUSTED (fuel or stack), DEADLINE_EXCEEDED or CANCELLED.
  absl::Status StopReason() const;

 private:
  static constexpr auto kUnlimited = static_cast<int64_t>(Limits::kUnlimited);

  static bool IsOfCall(Reason reason) {
    return reason >= Reason::kCallDeadline;
  }

  // Applies limits other than the context's fuel to the budget of a new call.
  [[gnu::cold, gnu::noinline]] void Limit(CallBudget& budget) const;

  bool ticks() const { return first_portion_ == kTick; }
  // Holds back the fuel beyond the next tick.
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
  int64_t* lent_ = nullptr;  // credit of the running compiled code
  int64_t until_tick_ = kTick;
  int64_t first_portion_ = kUnlimited;  // of a call's fuel
  int64_t calls_until_tick_ = kUnlimited;
  bool ticked_ = false;
  std::atomic<Reason> stop_ = Reason::kNone;
  std::atomic<Reason> alarm_reason_ = Reason::kDeadline;
  bool has_limits_ = false;  // see Limit
  std::shared_ptr<WorkBudget> source_;
  WorkBudget* payer_ = nullptr;  // source_ or what replaces it
  const std::shared_ptr<WorkBudget> work_ = std::make_shared<WorkBudget>();
  std::shared_ptr<WorkBudget> call_work_ = work_;
  LimitedCall* next_ = nullptr;     // limits of calls that begin
  LimitedCall* limited_ = nullptr;  // limits of the running call
  int64_t fuel_limit_ = kUnlimited;
  absl::Duration timeout_ = absl::InfiniteDuration();
  size_t max_stack_ = Limits::kDefaultStackBytes;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LIMITS_METER_H_
