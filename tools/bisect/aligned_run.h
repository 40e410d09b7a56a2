// Compares two runs whose compilers cut the program differently: at each pair
// of dispatches that belong together, the tensors that they wrote are compared,
// and the bad run goes on with those of the good one, so that errors do not add
// up.
//
// Two dispatches whose results differ may be no pair at all. A finding counts
// only if the bad run computes equal results from the good one's tensors then.
// A dispatch is named only if all others before it are known to be equal;
// otherwise the finding has all that may be the reason.
// Tested by bisect_test.txt.
#ifndef EYRIE_TOOLS_BISECT_ALIGNED_RUN_H_
#define EYRIE_TOOLS_BISECT_ALIGNED_RUN_H_

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "hal/dispatch_observer.h"
#include "tools/bisect/alignment.h"
#include "tools/bisect/finding.h"
#include "tools/bisect/meeting.h"
#include "tools/bisect/recording.h"

namespace eyrie::tools {

class AlignedRun {
 public:
  // The recordings are those of runs without changes, and must outlive this.
  AlignedRun(const std::atomic<bool>& stop, double tolerance,
             const Recording& good, const Recording& bad);

  hal::DispatchObserver& good() { return good_; }
  hal::DispatchObserver& bad() { return bad_; }
  Meeting& meeting() { return meeting_; }
  size_t pairs() const { return pairs_.size(); }
  // Call it after both runs. `agree`: so do their results.
  Comparison Finish(bool agree);

 private:
  class Observer final : public EachDispatch {
   public:
    Observer(AlignedRun& run, SideOf side) : run_(run), side_(side) {}
    absl::Status Before(const hal::ObservedDispatch&) override {
      return absl::OkStatus();
    }
    absl::Status After(const hal::ObservedDispatch& dispatch) override;

   private:
    AlignedRun& run_;
    const SideOf side_;
    size_t number_ = 0;     // of the next dispatch
    size_t next_pair_ = 0;  // that this side comes to
  };

  absl::Status Compare(const AlignedPair& pair,
                       const hal::ObservedDispatch& good,
                       const hal::ObservedDispatch& bad);
  absl::Status CompareTensor(const AlignedPair& pair, size_t index,
                             const hal::ObservedDispatch& good,
                             const hal::ObservedDispatch& bad);
  void AddFinding(const AlignedPair& pair, const WrittenTensor& tensor,
                  Difference difference);
  DispatchPlace PlaceOf(const Recording& recording, size_t number) const;
  // Adds the dispatches before `bad` that may be the reason.
  void AddSuspects(size_t bad, Finding& finding) const;

  Meeting meeting_;
  const double tolerance_;
  const Recording& good_recording_;
  const Recording& bad_recording_;
  const std::vector<AlignedPair> pairs_;
  Observer good_{*this, SideOf::kGood};
  Observer bad_{*this, SideOf::kBad};
  Comparison comparison_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BISECT_ALIGNED_RUN_H_
