// Runs callbacks at given times, on a thread of its own.
//
// The thread starts with the first callback and ends with the timer. Adding
// one that is due after the next wake-up costs a lock and a map node, no
// system call: calls with a deadline are made and over long before it.
// Tested by timer_test.cc.
#ifndef EYRIE_VM_TIMER_H_
#define EYRIE_VM_TIMER_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/time/time.h"

namespace eyrie::vm {

// Thread-safe.
class Timer {
 public:
  using Callback = std::function<void()>;
  // When a callback is due, and its number.
  using Id = std::pair<absl::Time, uint64_t>;

  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  // Drops what is not due yet and joins the thread.
  ~Timer();

  // Runs the callback once, when it is due; it must not block.
  Id Add(absl::Time due, Callback callback);
  // The callback is not run any more: if it is running now, on another thread,
  // this waits for its end. Does nothing if it has run.
  void Remove(const Id& id);

 private:
  void Run();

  std::mutex mutex_;                  // guards all below
  std::condition_variable changed_;   // wakes the thread
  std::condition_variable finished_;  // a callback has ended
  std::map<Id, Callback> callbacks_;
  uint64_t next_ = 0;
  absl::Time wake_ = absl::InfiniteFuture();  // when the thread looks next
  uint64_t running_ = kNone;                  // the number of the callback
  bool ending_ = false;
  std::thread thread_;

  static constexpr uint64_t kNone = ~uint64_t{0};
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_TIMER_H_
