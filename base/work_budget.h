// What a device's work for a call may use up, and the order to stop it: kernels
// that are bytecode take their fuel here, and queues pay for commands and
// bytes.
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
#include "absl/time/time.h"

namespace eyrie {

// Thread-safe.
class WorkBudget {
 public:
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

  WorkBudget() = default;
  // `timeout` is what StopReason() says was the limit of time.
  explicit WorkBudget(absl::Duration timeout) : timeout_(timeout) {}
  WorkBudget(const WorkBudget&) = delete;
  WorkBudget& operator=(const WorkBudget&) = delete;

  // Lets so many units be taken from now on. Does not undo Stop or refused().
  void Refill(int64_t units) {
    limit_.store(units, std::memory_order_relaxed);
    units_.store(units, std::memory_order_relaxed);
  }

  // Takes up to `units`, more than 0, and returns how many; 0: none are left,
  // or the work is to stop.
  int64_t Take(int64_t units) {
    if (units_.load(std::memory_order_relaxed) == kUnlimited && !stopped())
        [[likely]] {
      return units;
    }
    return TakeCounted(units);
  }
  // Gives back units that were taken and not used.
  void Give(int64_t units);

  // Takes all the units that work is going to need, more than 0.
  // RESOURCE_EXHAUSTED: fewer are left, and are gone now; else the code that
  // Stop was given.
  absl::Status Pay(int64_t units) {
    if (Take(units) == units) [[likely]]
      return absl::OkStatus();
    if (!stopped()) refused_.store(true, std::memory_order_relaxed);
    return StopReason();
  }

  // Ends the work, for good: the first code counts. Async-signal-safe.
  void Stop(absl::StatusCode code) {
    int none = 0;
    stop_.compare_exchange_strong(none, static_cast<int>(code),
                                  std::memory_order_relaxed);
  }
  bool stopped() const { return stop_.load(std::memory_order_relaxed) != 0; }

  // True once work has been refused because no units, or too few, were left.
  bool refused() const { return refused_.load(std::memory_order_relaxed); }

  // Why Take returns less: the code that Stop was given, else
  // RESOURCE_EXHAUSTED.
  absl::Status StopReason() const;

 private:
  int64_t TakeCounted(int64_t units);

  const absl::Duration timeout_ = absl::InfiniteDuration();
  std::atomic<int64_t> limit_{kUnlimited};  // of the latest Refill
  std::atomic<int64_t> units_{kUnlimited};
  std::atomic<bool> refused_{false};
  std::atomic<int> stop_{0};  // a StatusCode; 0: go on
};

}  // namespace eyrie

#endif  // EYRIE_BASE_WORK_BUDGET_H_
