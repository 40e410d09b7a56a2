// Limits the work that a device does for one call, and stops it on request.
// Bytecode kernels take their fuel here; queues pay for commands and bytes.
//
//   int64_t fuel = budget.Take(4096);
//   if (fuel == 0) return budget.StopReason();
// Tested by work_budget_test.cc.
#ifndef EYRIE_BASE_WORK_BUDGET_H_
#define EYRIE_BASE_WORK_BUDGET_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/deadline.h"

namespace eyrie {

// Work on this many bytes takes one unit of fuel.
inline constexpr uint64_t kBytesPerUnit = 1024;

// Thread-safe.
class WorkBudget {
 public:
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

  WorkBudget() = default;
  // `timeout` is what StopReason() says was the limit of time.
  explicit WorkBudget(absl::Duration timeout) : timeout_(timeout) {}
  // A budget for part of the work that `whole` limits: if `whole` is stopped,
  // this one is, too. Units are not taken from `whole`.
  WorkBudget(absl::Duration timeout, int64_t units,
             std::shared_ptr<const WorkBudget> whole)
      : timeout_(timeout), whole_(std::move(whole)) {
    Refill(units);
  }
  WorkBudget(const WorkBudget&) = delete;
  WorkBudget& operator=(const WorkBudget&) = delete;

  // Sets the number of units that can still be taken. Does not undo Stop or
  // refused().
  void Refill(int64_t units) {
    limit_.store(units, std::memory_order_relaxed);
    units_.store(units, std::memory_order_relaxed);
  }

  // Takes up to `units` and returns the number taken. Returns 0 if none are
  // left or the work must stop. `units` must be positive.
  int64_t Take(int64_t units) {
    if (units_.load(std::memory_order_relaxed) == kUnlimited && !stopped())
        [[likely]] {
      return units;
    }
    return TakeCounted(units);
  }
  // Returns units that were taken but not used.
  void Give(int64_t units);

  // Takes all of `units`, which must be positive.
  // RESOURCE_EXHAUSTED: fewer are left; they are used up now. After Stop, the
  // error is StopReason().
  absl::Status Pay(int64_t units) {
    if (Take(units) == units) [[likely]]
      return absl::OkStatus();
    if (!stopped()) refused_.store(true, std::memory_order_relaxed);
    return StopReason();
  }

  // Ends the work permanently. `code` must be DEADLINE_EXCEEDED or CANCELLED;
  // the code of the first call is kept. Async-signal-safe.
  void Stop(absl::StatusCode code) {
    int none = 0;
    stop_.compare_exchange_strong(none, static_cast<int>(code),
                                  std::memory_order_relaxed);
  }
  // Stops the work, with DEADLINE_EXCEEDED, if it still goes on at `deadline`.
  // Replaces the previous deadline; does not undo a stop. Work that has begun
  // notices it when it next calls Take, Pay or stopped().
  void EndBy(Deadline deadline) {
    ends_.store(deadline.nanoseconds(), std::memory_order_relaxed);
  }
  // Also true once the whole is stopped. Must only be called for work that goes
  // on.
  bool stopped() const {
    if (ends_.load(std::memory_order_relaxed) != kNever) [[unlikely]]
      StopIfLate();
    return stop_.load(std::memory_order_relaxed) != 0 ||
           (whole_ != nullptr && whole_->stopped());
  }

  // True once work has been refused because no units, or too few, were left, or
  // because the deadline of EndBy had passed.
  bool refused() const { return refused_.load(std::memory_order_relaxed); }

  // Returns the error to report if Take returned too few units: the code that
  // was passed to Stop, or RESOURCE_EXHAUSTED.
  absl::Status StopReason() const;

 private:
  static constexpr int64_t kNever = Deadline::Never().nanoseconds();

  int64_t TakeCounted(int64_t units);
  void StopIfLate() const;

  const absl::Duration timeout_ = absl::InfiniteDuration();
  const std::shared_ptr<const WorkBudget> whole_;  // may be null
  std::atomic<int64_t> ends_{kNever};              // the deadline of EndBy
  std::atomic<int64_t> limit_{kUnlimited};         // of the latest Refill
  std::atomic<int64_t> units_{kUnlimited};
  // Mutable, because stopped() is what notices the deadline.
  mutable std::atomic<bool> refused_{false};
  mutable std::atomic<int> stop_{0};  // a StatusCode; 0: go on
};

}  // namespace eyrie

#endif  // EYRIE_BASE_WORK_BUDGET_H_
