#include "tools/tune/ranking.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tools/bench_rows.h"

namespace eyrie::tools {
namespace {

bool Competes(const Candidate& candidate) {
  return candidate.is_measured() && candidate.note.empty();
}

}  // namespace

const Candidate* ReferenceOf(std::span<const Candidate> candidates) {
  const auto it = std::find_if(candidates.begin(), candidates.end(), Competes);
  return it == candidates.end() ? nullptr : &*it;
}

RatioEstimate EstimateOf(std::vector<double> ratios) {
  // Half of 1.96, the normal distribution's bound for 95%: the number of ratios
  // below the median has a deviation of sqrt(n) / 2.
  constexpr double kDeviations = 0.98;
  std::sort(ratios.begin(), ratios.end());
  const auto n = static_cast<double>(ratios.size());
  const double rank = std::ceil(n / 2 + kDeviations * std::sqrt(n));
  const size_t high = std::min(static_cast<size_t>(rank), ratios.size()) - 1;
  return {ratios[ratios.size() - 1 - high], QuartilesOf(ratios).middle,
          ratios[high]};
}

void Rank(std::span<Candidate> candidates) {
  const Candidate* const reference = ReferenceOf(candidates);
  if (reference == nullptr) return;
  for (Candidate& candidate : candidates) {
    if (!candidate.is_measured()) continue;
    std::vector<double> ratios;
    // After an interrupt, some have one turn less.
    const size_t turns =
        std::min(candidate.turns_ms.size(), reference->turns_ms.size());
    for (size_t i = 0; i < turns; ++i) {
      ratios.push_back(candidate.turns_ms[i] / reference->turns_ms[i]);
    }
    candidate.ms = QuartilesOf(candidate.turns_ms).middle;
    candidate.ratio = EstimateOf(std::move(ratios));
  }
}

const Candidate* FastestOf(std::span<const Candidate> candidates) {
  const Candidate* fastest = ReferenceOf(candidates);
  for (const Candidate& candidate : candidates) {
    if (Competes(candidate) && candidate.ratio.high < 1 &&
        candidate.ratio.middle < fastest->ratio.middle) {
      fastest = &candidate;
    }
  }
  return fastest;
}

}  // namespace eyrie::tools
