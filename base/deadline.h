// Deadlines, and waits that end at a deadline.
//
//   const Deadline deadline = Deadline::After(absl::Seconds(2));
//   if (!WaitUntil(changed, lock, deadline, [&] { return done; })) ...
// They use the monotonic clock, so setting the system's time does not change
// them. Except for traces, no other code of the libraries reads a clock.
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

// A point in time of this process. Cheap to copy. The default never passes.
// Arithmetic saturates to Never() or Passed().
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
  // Returns now plus `time`, which may be infinite or negative.
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
  // Returns the time left: infinite if it never passes, 0 if it has passed.
  absl::Duration Left() const {
    if (IsNever()) return absl::InfiniteDuration();
    return std::max(*this - Now(), absl::ZeroDuration());
  }

  // Returns how much later this deadline is than `other`.
  absl::Duration operator-(Deadline other) const {
    return absl::Nanoseconds(nanoseconds_) -
           absl::Nanoseconds(other.nanoseconds_);
  }
  constexpr auto operator<=>(const Deadline&) const = default;

  // For waits of the standard library. Must not be called on Never().
  Chrono ToChrono() const {
    return Chrono(std::chrono::nanoseconds(nanoseconds_));
  }
  // Returns a number that keeps the order, for atomics.
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

// Waits until `done()` returns true; checks it after each notification.
//
// Replaces std::condition_variable::wait(), which needs the libstdc++ of
// GCC 12.
template <typename Done>
void Wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
          Done&& done) {
  while (!done()) {
    pthread_cond_wait(changed.native_handle(), lock.mutex()->native_handle());
  }
}

// Waits until `done()` returns true or the deadline passes; checks `done()`
// after each notification. Returns its last result.
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
