// The releases of iree-compile that Eyrie knows, in order.
//
// Release 3.N has the number N. Earlier ones have numbers below 0, and names of
// their own: releases.def. All were published on PyPI.
// Tested by release_test.cc.
#ifndef EYRIE_VM_ISA_RELEASE_H_
#define EYRIE_VM_ISA_RELEASE_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/string_view.h"

namespace eyrie::vm {

enum Release : int {
#define RELEASE(number, name, text) name = number,
#include "vm/isa/releases.def"
#undef RELEASE
};
static_assert(k3_0 == 0);

inline constexpr int kOldestRelease = k20230209;
inline constexpr int kNewestRelease = 13;

// Returns the release with this name, which must exist. For tables.
constexpr int ReleaseOf(std::string_view name) {
#define RELEASE(number, id, text) \
  if (name == text) return number;
#include "vm/isa/releases.def"
#undef RELEASE
  int release = 0;
  for (const char c : name.substr(2)) release = release * 10 + (c - '0');
  return release;
}

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
