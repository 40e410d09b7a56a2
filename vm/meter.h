// Counts what a call uses up, and carries the order to stop into the loop.
//
// The interpreter charges one unit of fuel at every branch backwards and every
// call, and looks at the same places whether it is to stop:
//   if (!meter.Charge()) return Fail(meter.StopReason());
// Tested by limits_test.cc.
#ifndef EYRIE_VM_METER_H_
#define EYRIE_VM_METER_H_

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "vm/limits.h"

namespace eyrie::vm {

// The context's thread's, except Stop.
class Meter {
 public:
  Meter() = default;
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  // Starts to count afresh, for a call from the host.
  void Begin(const Limits& limits) {
    limit_ = limits.fuel;
    fuel_ = static_cast<int64_t>(limits.fuel);
    stop_.store(Reason::kNone, std::memory_order_relaxed);
  }

  // Takes one unit of fuel. False: the call must end, with StopReason().
  bool Charge() {
    return --fuel_ >= 0 &&
           stop_.load(std::memory_order_relaxed) == Reason::kNone;
  }

  enum class Reason : uint8_t { kNone, kDeadline, kCancelled };
  // Ends the call at its next branch backwards or call. Any thread's.
  void Stop(Reason reason) { stop_.store(reason, std::memory_order_relaxed); }

  // RESOURCE_EXHAUSTED: fuel; DEADLINE_EXCEEDED; CANCELLED.
  absl::Status StopReason() const;

 private:
  int64_t fuel_ = static_cast<int64_t>(Limits::kUnlimited);
  std::atomic<Reason> stop_ = Reason::kNone;
  uint64_t limit_ = Limits::kUnlimited;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_METER_H_
