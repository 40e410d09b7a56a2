// The releases of iree-compile that Eyrie knows, in order.
//
// Release 3.N has the number N. Earlier ones are named by their date, except
// 2.9 and 3.0, and have the numbers below 1. All were published on PyPI.
// Tested by release_test.cc.
#ifndef EYRIE_VM_ISA_RELEASE_H_
#define EYRIE_VM_ISA_RELEASE_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace eyrie::vm {

enum Release : int {
  k20230209 = -17,
  k20230228,
  k20230404,
  k20230419,
  k20230524,
  k20230815,
  k20231004,
  k20231113,
  k20231218,
  k20240129,
  k20240226,
  k20240410,
  k20240621,
  k20240724,
  k20240828,
  k20241104,
  k2_9,
  k3_0,
};
static_assert(k3_0 == 0);

inline constexpr int kOldestRelease = k20230209;
inline constexpr int kNewestRelease = 13;

// Returns "20230209", "2.9" or "3.13". `release` must be from kOldestRelease to
// kNewestRelease.
std::string ReleaseName(int release);

// Returns the release with this name, or nullopt.
std::optional<int> FindRelease(absl::string_view name);

// A range of releases. Empty if the first is above the last.
struct ReleaseRange {
  int first = kOldestRelease;
  int last = kNewestRelease;

  bool empty() const { return first > last; }
  // Returns the releases that are in both ranges.
  ReleaseRange And(const ReleaseRange& other) const;
  // Returns "3.4 to 3.9", or "3.10", or "none" if the range is empty.
  std::string ToString() const;

  friend bool operator==(const ReleaseRange&, const ReleaseRange&) = default;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ISA_RELEASE_H_
