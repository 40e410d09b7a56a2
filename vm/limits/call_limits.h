// Limits of a single call, in addition to those of its context.
//
//   LimitedCall limited({.timeout = absl::Seconds(1)});
//   Context::LimitScope scope(*context, &limited);
//   RETURN_IF_ERROR(scope.status());
//   auto results = context->Call(function, arguments);
// If the call exceeds them, it fails, and the context remains usable. Globals
// keep what the call has written.
// Tested by vm/run/call_limits_test.cc.
#ifndef EYRIE_VM_LIMITS_CALL_LIMITS_H_
#define EYRIE_VM_LIMITS_CALL_LIMITS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/work_budget.h"
#include "vm/limits/cancel_token.h"
#include "vm/limits/limits.h"

namespace eyrie::vm {

struct CallLimits {
  uint64_t fuel = Limits::kUnlimited;
  // From the creation of the LimitedCall to the end of the call.
  absl::Duration timeout = absl::InfiniteDuration();
  std::shared_ptr<CancelToken> cancel = nullptr;  // may be null
};

// The state of one call with limits, which may run in several pieces. Must be
// used on the context's thread, by one call only, and must exist until the call
// ends.
class LimitedCall {
 public:
  // Whether the context survives if a limit is exceeded.
  enum class Kind : uint8_t {
    kCall,
    // An initializer: its limits replace those of the context, and a limit that
    // is exceeded fails the context.
    kInitializer,
  };

  explicit LimitedCall(CallLimits limits, Kind kind = Kind::kCall)
      : limits_(std::move(limits)),
        kind_(kind),
        deadline_(limits_.timeout <= absl::ZeroDuration()
                      ? Deadline::Passed()
                      : Deadline::After(limits_.timeout)),
        fuel_(static_cast<int64_t>(std::min(limits_.fuel, kUnlimited))) {}
  LimitedCall(const LimitedCall&) = delete;
  LimitedCall& operator=(const LimitedCall&) = delete;

  const CallLimits& limits() const { return limits_; }
  bool is_initializer() const { return kind_ == Kind::kInitializer; }
  // When the call must end by its own limits.
  Deadline deadline() const { return deadline_; }
  // Reports whether the call's own limit applies, not the context's.
  bool owns_fuel() const { return owns_fuel_; }
  bool owns_deadline() const { return owns_deadline_; }
  bool is_cancelled() const {
    return limits_.cancel != nullptr && limits_.cancel->is_cancelled();
  }
  // Returns the budget of devices that work for the call; null before it runs.
  const std::shared_ptr<WorkBudget>& work() const { return work_; }

  // Return the errors of a call that exceeds its own limits.
  absl::Status LateError() const;
  absl::Status FuelError() const;
  static absl::Status CancelledError();

 private:
  friend class Meter;

  static constexpr uint64_t kUnlimited = Limits::kUnlimited;

  const CallLimits limits_;
  const Kind kind_;
  const Deadline deadline_;
  int64_t fuel_;       // what remains of it, unless the call is suspended
  int64_t given_ = 0;  // the fuel of the running piece, at its start
  bool owns_fuel_ = false;
  bool owns_deadline_ = false;
  std::shared_ptr<WorkBudget> work_;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LIMITS_CALL_LIMITS_H_
