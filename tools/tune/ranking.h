// Compares the times of candidates.
//
// Tested by ranking_test.cc.
#ifndef EYRIE_TOOLS_TUNE_RANKING_H_
#define EYRIE_TOOLS_TUNE_RANKING_H_

#include <span>
#include <vector>

#include "tools/tune/candidate.h"

namespace eyrie::tools {

// Returns the first measured candidate without a note, with which others are
// compared; null if every one has a note or was not measured.
const Candidate* ReferenceOf(std::span<const Candidate> candidates);

// Returns the median and its bounds, by the ranks of a sign test. `ratios` must
// not be empty. With five ratios or fewer, the bounds are the extremes.
RatioEstimate EstimateOf(std::vector<double> ratios);

// Sets the time and the ratio of all measured candidates. A ratio is the time
// of a turn divided by that of the reference in the same round, so that noise
// that lasts longer than a round cancels out.
void Rank(std::span<Candidate> candidates);

// Returns the candidate without a note whose ratio is the smallest, if its
// upper bound is below 1. Otherwise returns the reference, or null if nothing
// was measured.
const Candidate* FastestOf(std::span<const Candidate> candidates);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_TUNE_RANKING_H_
