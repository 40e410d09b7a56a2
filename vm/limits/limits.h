// What a context may use. All limits are off unless set.
//
// Tested by vm/run/limits_test.cc.
#ifndef EYRIE_VM_LIMITS_LIMITS_H_
#define EYRIE_VM_LIMITS_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <limits>

#include "absl/time/time.h"

namespace eyrie::vm {

struct Limits {
  static constexpr uint64_t kUnlimited = std::numeric_limits<int64_t>::max();
  static constexpr size_t kDefaultStackBytes = size_t{4} << 20;

  // Units that one call from the host may use. A branch backwards and a call
  // take 1; instructions and imports take 1 more for each KiB that they work on
  // (pay.h). docs/limits.md has the table.
  uint64_t fuel = kUnlimited;
  // How long one call from the host may take, from its begin to its end. Native
  // code is not interrupted: the call fails when it comes back.
  absl::Duration timeout = absl::InfiniteDuration();
  // Bytes that lists, buffers and device memory of the context hold at a time.
  uint64_t max_memory = kUnlimited;
  // Bytes of stack for one call from the host; a frame takes 64 and 4 per
  // register of numbers, 8 per register of references.
  size_t max_stack = kDefaultStackBytes;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LIMITS_LIMITS_H_
