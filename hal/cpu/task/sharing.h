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
  // What is worth a further thread that looks for work anyway, and one that
  // sleeps: waking it takes the caller 2 to 5 us, and it comes 50 us later.
  double awake_ns = 6000;
  double asleep_ns = 100000;
  // The least that a thread takes at once.
  double chunk_ns = 3000;
  // From here on the caller goes on, and the pool does it all.
  double hand_over_ns = 1e6;
  // The same for what waited for a fence, and keeps whoever signals it.
  double hand_over_waited_ns = 20000;

  // Shares everything that can be, in the smallest chunks: for tests.
  static SharingPolicy Everything() { return {0, 0, 0, 0, 0}; }
};

// The estimated time of commands on one thread.
struct Estimate {
  double ns = 0;
  double largest_ns = 0;  // of one dispatch that threads could share
  bool known = true;      // false: a part of it has never been measured
};

// Bytes of a fill, an update or a copy that one thread takes at least.
inline constexpr uint64_t kTransferChunk = uint64_t{256} << 10;
// How fast they are, roughly.
inline constexpr double kTransferBytesPerNs = 8;

Estimate EstimateTransfer(uint64_t bytes);

// All commands of a buffer. Counts of an indirect dispatch are not known.
Estimate EstimateCommands(const CommandBuffer& commands);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_TASK_SHARING_H_
