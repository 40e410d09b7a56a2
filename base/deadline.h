// Deadlines, and waiting until one.
//
//   const Deadline deadline = Deadline::After(absl::Seconds(2));
//   if (!WaitUntil(changed, lock, deadline, [&] { return done; })) ...
// They use the monotonic clock: setting the system's time moves none of them.
// No other code of the libraries asks what time it is, except for traces.
// Tested by deadline_test.cc.
#ifndef EYRIE_BASE_DEADLINE_H_
#define EYRIE_BASE_DEADLINE_H_

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <compare>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>

#include "absl/time/time.h"

namespace eyrie {

// A point in time of this process. A small value; by default it never passes.
// Arithmetic saturates: a sum that does not fit never passes.
class Deadline {
 public:
  using Chrono = std::chrono::steady_clock::time_point;

  constexpr Deadline() = default;
  static constexpr Deadline Never() { return Deadline(); }
  // Earlier than all others.
  static constexpr Deadline Passed() { return Deadline(kPassed); }
  static Deadline Now() {
    return Deadline(
        std::chrono::nanoseconds(Chrono::clock::now().time_since_epoch())
            .count());
  }
  // The present plus `time`, which may be infinite.
  static Deadline After(absl::Duration time) { return Now().Plus(time); }

  Deadline Plus(absl::Duration time) const {
    if (IsNever() || *this == Passed()) return *this;
    int64_t sum = 0;
    const int64_t by = absl::ToInt64Nanoseconds(time);  // saturates
    if (__builtin_add_overflow(nanoseconds_, by, &sum)) {
      return by < 0 ? Passed() : Never();
    }
    return Deadline(sum);
  }

  constexpr bool IsNever() const { return nanoseconds_ == kNever; }
  bool HasPassed() const {
    return !IsNever() && (*this == Passed() || *this <= Now());
  }
  // Infinite if it never passes; 0 if it has passed.
  absl::Duration Left() const {
    if (IsNever()) return absl::InfiniteDuration();
    return std::max(*this - Now(), absl::ZeroDuration());
  }

  // How much later this is than the other one.
  absl::Duration operator-(Deadline other) const {
    return absl::Nanoseconds(nanoseconds_) -
           absl::Nanoseconds(other.nanoseconds_);
  }
  constexpr auto operator<=>(const Deadline&) const = default;

  // For the standard library's waits; not of one that never passes.
  Chrono ToChrono() const {
    return Chrono(std::chrono::nanoseconds(nanoseconds_));
  }
  // As a number, in the same order; for atomics.
  constexpr int64_t nanoseconds() const { return nanoseconds_; }
  static constexpr Deadline FromNanoseconds(int64_t nanoseconds) {
    return Deadline(nanoseconds);
  }

 private:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  static constexpr int64_t kPassed = std::numeric_limits<int64_t>::min();

  explicit constexpr Deadline(int64_t nanoseconds)
      : nanoseconds_(nanoseconds) {}

  int64_t nanoseconds_ = kNever;  // of the monotonic clock
};

// Waits until `done()` is true, which is asked after each notification.
//
// As wait() of the standard library, whose one needs the libstdc++ of GCC 12.
template <typename Done>
void Wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
          Done&& done) {
  while (!done()) {
    pthread_cond_wait(changed.native_handle(), lock.mutex()->native_handle());
  }
}

// Waits until `done()` is true, which is asked after each notification, or
// until the deadline. Returns what `done()` said last.
template <typename Done>
bool WaitUntil(std::condition_variable& changed,
               std::unique_lock<std::mutex>& lock, Deadline deadline,
               Done&& done) {
  if (deadline == Deadline::Passed()) return done();
  if (!deadline.IsNever()) {
    return changed.wait_until(lock, deadline.ToChrono(),
                              std::forward<Done>(done));
  }
  Wait(changed, lock, std::forward<Done>(done));
  return true;
}

}  // namespace eyrie

#endif  // EYRIE_BASE_DEADLINE_H_
