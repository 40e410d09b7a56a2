#include "tools/call_times.h"

#include <bit>
#include <cmath>

namespace eyrie::tools {

CallTimes::CallTimes() : counts_(IndexOf(~uint64_t{0}) + 1) {}

size_t CallTimes::IndexOf(uint64_t ns) {
  if (ns < kSteps) return ns;
  const int shift = std::bit_width(ns) - 1 - kStepBits;
  return (static_cast<size_t>(shift) << kStepBits) + (ns >> shift);
}

double CallTimes::LargestOf(size_t index) {
  if (index < 2 * kSteps) return static_cast<double>(index);
  const auto shift = static_cast<int>(index >> kStepBits) - 1;
  const uint64_t step = (index & (kSteps - 1)) + kSteps;
  return std::ldexp(static_cast<double>(step + 1), shift) - 1;
}

void CallTimes::Add(uint64_t ns) {
  ++counts_[IndexOf(ns)];
  ++count_;
}

void CallTimes::Add(const CallTimes& other) {
  for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
}

double CallTimes::Percentile(double share) const {
  const double wanted = share * static_cast<double>(count_);
  uint64_t seen = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (counts_[i] != 0 && static_cast<double>(seen) >= wanted) {
      return LargestOf(i);
    }
  }
  return 0;
}

}  // namespace eyrie::tools
