// A wall clock that jumps and counts its reads.
//
// The linker redirects calls of the C library's clocks to this, in code that is
// linked statically. A wait until a time of that clock counts as a read,
// because the clock decides when it ends.
#ifndef EYRIE_TESTS_SUPPORT_JUMPING_CLOCK_H_
#define EYRIE_TESTS_SUPPORT_JUMPING_CLOCK_H_

#include <cstdint>

namespace eyrie::tests {

// While this object lives, the wall clock alternates between an hour fast and
// an hour slow every millisecond. Only one object may exist at a time.
class JumpingClock {
 public:
  JumpingClock();
  JumpingClock(const JumpingClock&) = delete;
  JumpingClock& operator=(const JumpingClock&) = delete;
  ~JumpingClock();

  // Returns how often the clock was read or waited for.
  int64_t reads() const;
};

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_JUMPING_CLOCK_H_
