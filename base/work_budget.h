// What work for a call may use up where the call's own thread does not run it,
// and the order to stop: kernels that are bytecode take their fuel here.
//
//   int64_t fuel = budget.Take(4096);
//   if (fuel == 0) return budget.StopReason();
// Tested by work_budget_test.cc.
#ifndef EYRIE_BASE_WORK_BUDGET_H_
#define EYRIE_BASE_WORK_BUDGET_H_

#include <atomic>
#include <cstdint>
#include <limits>

#include "absl/status/status.h"

namespace eyrie {

// Thread-safe.
class WorkBudget {
 public:
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

  WorkBudget() = default;
  WorkBudget(const WorkBudget&) = delete;
  WorkBudget& operator=(const WorkBudget&) = delete;

  // Lets so many units be taken from now on. Does not undo Stop.
  void Refill(int64_t units) { units_.store(units, std::memory_order_relaxed); }

  // Takes up to `units`, more than 0, and returns how many; 0: none are left,
  // or the work is to stop.
  int64_t Take(int64_t units);
  // Gives back units that were taken and not used.
  void Give(int64_t units);

  // Ends the work, for good: the first code counts. Async-signal-safe.
  void Stop(absl::StatusCode code) {
    int none = 0;
    stop_.compare_exchange_strong(none, static_cast<int>(code),
                                  std::memory_order_relaxed);
  }
  bool stopped() const { return stop_.load(std::memory_order_relaxed) != 0; }

  // Why Take returns 0: the code that Stop was given, else RESOURCE_EXHAUSTED.
  absl::Status StopReason() const;

 private:
  std::atomic<int64_t> units_{kUnlimited};
  std::atomic<int> stop_{0};  // a StatusCode; 0: go on
};

}  // namespace eyrie

#endif  // EYRIE_BASE_WORK_BUDGET_H_
