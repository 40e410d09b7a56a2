// Makes two runs, on a thread each, meet at their dispatches, so that one of
// the threads can compare and copy the memory of both.
//
// Tested by meeting_test.cc.
#ifndef EYRIE_TOOLS_BISECT_MEETING_H_
#define EYRIE_TOOLS_BISECT_MEETING_H_

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

#include "absl/status/status.h"
#include "hal/dispatch_observer.h"

namespace eyrie::tools {

enum class SideOf : uint8_t { kGood = 0, kBad = 1 };

// Thread-safe.
class Meeting {
 public:
  // Called by one of the threads when both have come. Its error fails both
  // submissions.
  using Compare = std::function<absl::Status(const hal::ObservedDispatch& good,
                                             const hal::ObservedDispatch& bad)>;

  // If `stop` becomes true, threads that wait return CANCELLED soon. `stop`
  // must outlive the meeting.
  explicit Meeting(const std::atomic<bool>& stop) : stop_(&stop) {}

  // Waits for the other side, and returns what `compare` of the side that came
  // last returned. Returns OK at once if the other side has left.
  absl::Status Meet(SideOf side, const hal::ObservedDispatch& dispatch,
                    const Compare& compare);

  // The side will not come any more.
  void Leave(SideOf side);
  bool HasLeft(SideOf side) const;

 private:
  const std::atomic<bool>* const stop_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::array<const hal::ObservedDispatch*, 2> here_ = {};
  std::array<bool, 2> left_ = {};
  size_t meetings_ = 0;
  absl::Status outcome_;  // of the last one
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BISECT_MEETING_H_
