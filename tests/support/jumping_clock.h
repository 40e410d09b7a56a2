// A wall clock that is set all the time, and that counts who asks it.
//
// The tests' linker hands calls of the C library's clocks over to this: those
// of code that is linked statically. A wait until a time of that clock counts
// as a read, since it ends when the clock says so.
#ifndef EYRIE_TESTS_SUPPORT_JUMPING_CLOCK_H_
#define EYRIE_TESTS_SUPPORT_JUMPING_CLOCK_H_

#include <cstdint>

namespace eyrie::tests {

// While it exists, the wall clock is an hour fast and an hour slow by turns, a
// millisecond each. One at a time.
class JumpingClock {
 public:
  JumpingClock();
  JumpingClock(const JumpingClock&) = delete;
  JumpingClock& operator=(const JumpingClock&) = delete;
  ~JumpingClock();

  // How often it has been read or waited for.
  int64_t reads() const;
};

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_JUMPING_CLOCK_H_
