// Decides how many threads work is worth: thresholds, and estimates of the time
// that commands take, from earlier measurements.
//
// Tested by sharing_test.cc.
#ifndef EYRIE_HAL_CPU_TASK_SHARING_H_
#define EYRIE_HAL_CPU_TASK_SHARING_H_

#include <cstdint>

#include "hal/command_buffer.h"

namespace eyrie::hal::cpu {

// Times are nanoseconds of one thread's work.
struct SharingPolicy {
  // The least work that is worth another thread, if one is already searching
  // for work (awake) or if it must be woken (asleep). Waking a thread takes the
  // caller 2 to 5 us, and the thread arrives 50 us later.
  double awake_ns = 6000;
  double asleep_ns = 100000;
  // The least work that a thread takes at once.
  double chunk_ns = 3000;
  // From this much work on, the pool runs all of it in the background. 0: also
  // work of unknown cost.
  double hand_over_ns = 1e6;
  // The same limit for an operation that waited for a fence: on the thread that
  // signals the fence, it would delay that thread.
  double hand_over_waited_ns = 20000;

  // For tests: shares all work that can be shared, in the smallest chunks.
  static SharingPolicy Everything() { return {0, 0, 0, 0, 0}; }
};

// The estimated time of commands on one thread.
struct Estimate {
  double ns = 0;
  double largest_ns = 0;  // of one dispatch that threads could share
  bool known = true;      // false: a part of it has never been measured
};

// The least bytes of a fill, an update or a copy that one thread takes at once.
inline constexpr uint64_t kTransferChunk = uint64_t{256} << 10;
// Their approximate speed.
inline constexpr double kTransferBytesPerNs = 8;

Estimate EstimateTransfer(uint64_t bytes);

// Returns the sum for all commands of a buffer. The cost of an indirect
// dispatch is never known.
Estimate EstimateCommands(const CommandBuffer& commands);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_TASK_SHARING_H_
