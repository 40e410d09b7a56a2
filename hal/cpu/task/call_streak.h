// Calls that follow each other closely, on one thread.
//
// A woken thread arrives after 50 us, which one short call is not worth. Many
// short calls are: the thread keeps searching while it finds work, and helps
// with later calls. Calls from several threads in turn are not a streak,
// because those threads keep the CPUs busy.
// Tested by sharing_test.cc, task_device_test.cc.
#ifndef EYRIE_HAL_CPU_TASK_CALL_STREAK_H_
#define EYRIE_HAL_CPU_TASK_CALL_STREAK_H_

#include <pthread.h>

#include <algorithm>
#include <atomic>

namespace eyrie::hal::cpu {

// Thread-safe. Never blocks. Times are nanoseconds of one clock.
class alignas(64) CallStreak {
 public:
  // The longest pause within a streak; 0 disables streaks.
  explicit CallStreak(double pause_ns) : pause_ns_(pause_ns) {}

  bool is_possible() const { return pause_ns_ > 0; }

  // Counts a call of this thread. Returns true if a thread should be woken for
  // later calls: when the streak has taken `enough`, after that twice as much,
  // and so on. While a woken thread is awake, calls are shared instead of
  // counted here; a call that comes here again shows that waking did not help.
  // Ignores the call if another thread is in this function.
  bool Add(double begin, double end, double enough) {
    if (busy_.test_and_set(std::memory_order_acquire)) return false;
    const pthread_t thread = pthread_self();
    if (pthread_equal(thread, thread_) == 0 || begin > end_ + pause_ns_) {
      sum_ = 0;
      times_ = 1;
    }
    thread_ = thread;
    end_ = end;
    sum_ += end - begin;
    const bool is_enough = sum_ >= enough * times_;
    if (is_enough) {
      sum_ = 0;
      times_ = std::min(2 * times_, kMaxTimes);
    }
    busy_.clear(std::memory_order_release);
    return is_enough;
  }

 private:
  static constexpr double kMaxTimes = 1 << 20;

  const double pause_ns_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;  // guards all below
  pthread_t thread_ = {};
  double end_ = 0;
  double sum_ = 0;
  double times_ = 1;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_TASK_CALL_STREAK_H_
