// The times of many calls, and their percentiles.
//
// Times are counted in a histogram of fixed size, so that measuring a call
// costs the same at the first call and at the billionth. Tested by
// call_times_test.cc.
#ifndef EYRIE_TOOLS_CALL_TIMES_H_
#define EYRIE_TOOLS_CALL_TIMES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace eyrie::tools {

class CallTimes {
 public:
  CallTimes();

  void Add(uint64_t ns);
  void Add(const CallTimes& other);

  uint64_t count() const { return count_; }
  // Returns the time in ns that `share` (0 to 1) of the calls do not exceed, at
  // most 1.6% above the exact one. 0 if there are no calls.
  double Percentile(double share) const;

 private:
  // Times below kSteps have their own counts. Above, each power of two has
  // kSteps counts.
  static constexpr uint64_t kSteps = 64;
  static constexpr int kStepBits = 6;

  static size_t IndexOf(uint64_t ns);
  // Returns the largest time of a count.
  static double LargestOf(size_t index);

  std::vector<uint64_t> counts_;
  uint64_t count_ = 0;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CALL_TIMES_H_
