// How the numbers differ that two kernels have written.
//
// Tested by difference_test.cc.
#ifndef EYRIE_TOOLS_BISECT_DIFFERENCE_H_
#define EYRIE_TOOLS_BISECT_DIFFERENCE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "hal/element_type.h"

namespace eyrie::tools {

struct Difference {
  hal::ElementType type = hal::ElementType::kNone;
  int64_t count = 0;         // elements that were compared
  int64_t differing = 0;     // of these, beyond the tolerance
  int64_t signed_zeros = 0;  // of these, 0 instead of -0 or the reverse
  // The largest difference: where, and both numbers. NaN if only one is NaN.
  int64_t at = 0;
  double error = 0;
  std::string good;
  std::string bad;
  // The same in units in the last place of the good number; nullopt for types
  // that are not floats.
  std::optional<double> ulps;
};

// Compares elements. Floats differ if they are further apart than `tolerance`
// of the good number and of the middle one of all good numbers' sizes; types
// with fewer digits than f32 have accordingly more. A NaN equals any NaN, and 0
// equals -0. Others differ unless they have the same bits. The spans have the
// same size; bytes after the last element are ignored.
Difference Compare(hal::ElementType type, std::span<const uint8_t> good,
                   std::span<const uint8_t> bad, double tolerance);

// Returns "3 of 40 elements differ; the largest error is 0.5 (4194304 ulps), at
// element 7: 1.5 instead of 1".
std::string ToText(const Difference& difference);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BISECT_DIFFERENCE_H_
