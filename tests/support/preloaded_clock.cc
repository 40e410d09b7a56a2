// A wall clock that jumps, for programs that preload this library: it
// alternates between an hour fast and an hour slow every millisecond. See
// jumping_clock.h.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

namespace {

constexpr time_t kHour = 3600;

timespec Truly(clockid_t clock) {
  timespec time = {};
  syscall(SYS_clock_gettime, clock, &time);
  return time;
}

time_t Ahead() {
  return Truly(CLOCK_MONOTONIC).tv_nsec / 1000000 % 2 == 0 ? kHour : -kHour;
}

bool IsWallClock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
}

// Reports whether its waits use the monotonic clock; glibc stores it here.
bool IsMonotonic(const pthread_cond_t& condition) {
  return (condition.__data.__wrefs & 2) != 0;
}

template <typename F>
F* Next(F*, const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  *time = Truly(clock);
  if (IsWallClock(clock)) time->tv_sec += Ahead();
  return 0;
}

int gettimeofday(timeval* time, void*) noexcept {
  const timespec now = Truly(CLOCK_REALTIME);
  *time = {now.tv_sec + Ahead(), static_cast<suseconds_t>(now.tv_nsec / 1000)};
  return 0;
}

time_t time(time_t* time) noexcept {
  const time_t now = Truly(CLOCK_REALTIME).tv_sec + Ahead();
  if (time != nullptr) *time = now;
  return now;
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* time) {
  static const auto next =
      Next(pthread_cond_timedwait, "pthread_cond_timedwait");
  timespec at = *time;
  if (!IsMonotonic(*condition)) at.tv_sec -= Ahead();
  return next(condition, mutex, &at);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           clockid_t clock, const timespec* time) {
  static const auto next =
      Next(pthread_cond_clockwait, "pthread_cond_clockwait");
  timespec at = *time;
  if (IsWallClock(clock)) at.tv_sec -= Ahead();
  return next(condition, mutex, clock, &at);
}

}  // extern "C"
