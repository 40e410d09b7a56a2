// Limits of a context. By default only the stack is limited.
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

  // Units of fuel that one call from the host may use. Each backward branch and
  // each call takes 1; instructions and imports take 1 more for each KiB that
  // they process (pay.h). docs/limits.md has the table.
  uint64_t fuel = kUnlimited;
  // How long one call from the host may take, from start to end. Native code is
  // not interrupted: the call fails when it returns.
  absl::Duration timeout = absl::InfiniteDuration();
  // Limit for the bytes that lists, buffers and device memory of the context
  // occupy.
  uint64_t max_memory = kUnlimited;
  // Bytes of stack for one call from the host. A frame takes 64 bytes, plus 4
  // for each number register and 8 for each ref register.
  size_t max_stack = kDefaultStackBytes;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LIMITS_LIMITS_H_
