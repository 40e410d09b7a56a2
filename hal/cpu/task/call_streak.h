// Calls that follow each other closely, on one thread.
//
// One that is short is not worth the waking of a thread, which comes 50 us
// later; many of them are, for those behind them: a thread that finds work
// keeps looking for it. Calls that come from several threads in turn are no
// streak: these keep CPUs busy by themselves.
// Tested by sharing_test.cc, task_device_test.cc.
#ifndef EYRIE_HAL_CPU_TASK_CALL_STREAK_H_
#define EYRIE_HAL_CPU_TASK_CALL_STREAK_H_

#include <pthread.h>

#include <algorithm>
#include <atomic>

namespace eyrie::hal::cpu {

// Thread-safe, and waits for nobody. Times are nanoseconds of one clock.
class alignas(64) CallStreak {
 public:
  // Within a streak no pause is longer; 0: there is never one.
  explicit CallStreak(double pause_ns) : pause_ns_(pause_ns) {}

  bool is_possible() const { return pause_ns_ > 0; }

  // Counts a call of this thread. True if a thread is to be woken for those
  // behind it: the streak has taken `enough`, then twice that, and so on, for
  // one that helped would have kept the others from coming here.
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
