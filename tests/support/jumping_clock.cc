// Replaces the C library's clocks in tests, with the linker's --wrap.
#include "tests/support/jumping_clock.h"

#include <pthread.h>
#include <sys/time.h>
#include <time.h>

#include <atomic>

#define WRAP(type, name, ...)      \
  type __real_##name(__VA_ARGS__); \
  type __wrap_##name(__VA_ARGS__); \
  type __wrap_##name(__VA_ARGS__)

extern "C" int __real_clock_gettime(clockid_t clock, timespec* time);

namespace {

constexpr time_t kHour = 3600;

std::atomic<bool> jumps{false};
std::atomic<int64_t> reads{0};

bool IsWallClock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ||
         clock == CLOCK_TAI;
}

// Returns the seconds by which the clock is fast now.
time_t Ahead() {
  if (!jumps) return 0;
  ++reads;
  timespec now;
  __real_clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_nsec / 1000000 % 2 == 0 ? kHour : -kHour;
}

timespec Shown() {
  timespec time;
  __real_clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += Ahead();
  return time;
}

// Converts a time of the jumping clock to the real clock, as it is set now.
timespec Truly(timespec time) {
  time.tv_sec -= Ahead();
  return time;
}

}  // namespace

extern "C" {

WRAP(int, clock_gettime, clockid_t clock, timespec* time) {
  if (!IsWallClock(clock)) return __real_clock_gettime(clock, time);
  *time = Shown();
  return 0;
}
WRAP(int, gettimeofday, timeval* time, void*) {
  const timespec shown = Shown();
  *time = {shown.tv_sec, static_cast<suseconds_t>(shown.tv_nsec / 1000)};
  return 0;
}
WRAP(time_t, time, time_t* time) {
  const time_t seconds = Shown().tv_sec;
  if (time != nullptr) *time = seconds;
  return seconds;
}
WRAP(int, timespec_get, timespec* time, int base) {
  *time = Shown();
  return base;
}
WRAP(int, pthread_cond_timedwait, pthread_cond_t* condition,
     pthread_mutex_t* mutex, const timespec* time) {
  const timespec truly = Truly(*time);
  return __real_pthread_cond_timedwait(condition, mutex, &truly);
}
WRAP(int, pthread_cond_clockwait, pthread_cond_t* condition,
     pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  const timespec at = IsWallClock(clock) ? Truly(*time) : *time;
  return __real_pthread_cond_clockwait(condition, mutex, clock, &at);
}
WRAP(int, pthread_mutex_timedlock, pthread_mutex_t* mutex,
     const timespec* time) {
  const timespec truly = Truly(*time);
  return __real_pthread_mutex_timedlock(mutex, &truly);
}

}  // extern "C"

namespace eyrie::tests {

JumpingClock::JumpingClock() {
  ::reads = 0;
  jumps = true;
}
JumpingClock::~JumpingClock() { jumps = false; }

int64_t JumpingClock::reads() const { return ::reads; }

}  // namespace eyrie::tests
