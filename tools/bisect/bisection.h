// Finds the first dispatch that computes something else on one of two sides.
//
// Tested by bisect_test.txt.
#ifndef EYRIE_TOOLS_BISECT_BISECTION_H_
#define EYRIE_TOOLS_BISECT_BISECTION_H_

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "hal/dispatch_observer.h"
#include "tools/bisect/bisect_report.h"
#include "tools/bisect/meeting.h"
#include "tools/bisect/side.h"

namespace eyrie::tools {

// Thread-compatible, except for Cancel.
class Bisection {
 public:
  // Both sides must outlive this. `good` may be null: then the results of `bad`
  // are compared with known values.
  Bisection(Side* good, Side& bad, double tolerance)
      : good_(good), bad_(bad), tolerance_(tolerance) {}

  // Runs each side at most four times, and fills the report. `always`: compares
  // the dispatches even if the results agree. Fails if the good side does, or
  // after Cancel.
  absl::Status Run(bool always, BisectReport& report);

  // Ends Run soon. Async-signal-safe.
  void Cancel();

 private:
  absl::Status CompareResults(BisectReport& report);
  absl::Status FindWriters(std::span<const vm::Value> results,
                           BisectReport& report);
  absl::Status CompareDispatches(BisectReport& report);
  absl::Status CompareAligned(const std::string& reason, BisectReport& report);
  // Reports whether the results of the last runs are equal.
  bool HaveSameResults();
  // Runs both sides at once, each with its observer. Stores their results.
  absl::Status RunBoth(hal::DispatchObserver& good, hal::DispatchObserver& bad,
                       Meeting& meeting);

  Side* const good_;
  Side& bad_;
  const double tolerance_;
  std::atomic<bool> stop_ = false;
  // The results of the last runs.
  absl::StatusOr<std::vector<vm::Value>> good_results_;
  absl::StatusOr<std::vector<vm::Value>> bad_results_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BISECT_BISECTION_H_
