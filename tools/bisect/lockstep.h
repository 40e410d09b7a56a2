// Compares two runs that have the same dispatches with the same bindings: each
// dispatch gets the same bytes on both sides, and what it wrote is compared and
// made equal again, so that errors do not add up.
//
// Because all memory is equal before a dispatch, bytes that are not set,
// memory that is used again, updates in place and random numbers are equal,
// too. Tested by bisect_test.txt.
#ifndef EYRIE_TOOLS_BISECT_LOCKSTEP_H_
#define EYRIE_TOOLS_BISECT_LOCKSTEP_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "hal/dispatch_observer.h"
#include "tools/bisect/bytes.h"
#include "tools/bisect/finding.h"
#include "tools/bisect/meeting.h"

namespace eyrie::tools {

class Lockstep {
 public:
  Lockstep(const std::atomic<bool>& stop, double tolerance)
      : meeting_(stop), tolerance_(tolerance) {
    comparison_.has_inputs = true;
  }

  hal::DispatchObserver& good() { return good_; }
  hal::DispatchObserver& bad() { return bad_; }
  Meeting& meeting() { return meeting_; }

  // Why the runs cannot be compared so: they have other dispatches, or use
  // memory in another way. Both runs then have failed with ABORTED. "" if they
  // can.
  const std::string& mismatch() const { return mismatch_; }
  // Call it after both runs. `agree`: so do their results. Nothing if kernels
  // without names differ that need not belong together; then mismatch() is set.
  std::optional<Comparison> Finish(bool agree);

 private:
  class Observer final : public EachDispatch {
   public:
    Observer(Lockstep& lockstep, SideOf side)
        : lockstep_(lockstep), side_(side) {}
    absl::Status Before(const hal::ObservedDispatch& dispatch) override;
    absl::Status After(const hal::ObservedDispatch& dispatch) override;

   private:
    Lockstep& lockstep_;
    const SideOf side_;
  };

  absl::Status Before(const hal::ObservedDispatch& good,
                      const hal::ObservedDispatch& bad);
  absl::Status After(const hal::ObservedDispatch& good,
                     const hal::ObservedDispatch& bad);
  absl::Status Mismatch(std::string reason);
  absl::Status CheckLayout(const hal::ObservedDispatch& good,
                           const hal::ObservedDispatch& bad);
  absl::Status CompareInput(const hal::ObservedDispatch& good,
                            const hal::ObservedDispatch& bad, size_t binding);
  absl::Status CompareResult(const hal::ObservedDispatch& good,
                             const hal::ObservedDispatch& bad, size_t index);
  absl::Status AddFinding(const hal::ObservedDispatch& good,
                          const hal::ObservedDispatch& bad, size_t index,
                          const ByteRange& range, Difference difference);
  absl::Status Keep(const hal::ObservedDispatch& dispatch,
                    DispatchMemory& memory);

  Meeting meeting_;
  const double tolerance_;
  Observer good_{*this, SideOf::kGood};
  Observer bad_{*this, SideOf::kBad};

  // Used by the thread that compares.
  std::string mismatch_;
  Comparison comparison_;
  std::vector<size_t> bindings_;              // that are written, each once
  std::vector<std::vector<uint8_t>> before_;  // their bytes, on both sides
  std::string constants_;                     // that differ now
  std::map<std::string, size_t> rounds_;
  // Constants that were compared: memory of both sides, and the size.
  std::map<std::tuple<const void*, const void*, uint64_t>, std::string> known_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BISECT_LOCKSTEP_H_
