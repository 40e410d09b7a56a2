// A lock for short sections of code that every call runs. Without contention,
// lock() and unlock() take one atomic instruction each, and no function call;
// in a process with one thread, an ordinary instruction. With contention, a
// thread looks for about a microsecond, because sleeping costs its processor to
// another thread for milliseconds if there are many. Then it sleeps until the
// lock is released.
//
// With EYRIE_WATCHED_LOCKS, it is a std::mutex, so that a library that is
// loaded before the C library's can measure how long it is held. Works with
// std::lock_guard. Not recursive. Tested by short_lock_test.cc.
#ifndef EYRIE_BASE_SHORT_LOCK_H_
#define EYRIE_BASE_SHORT_LOCK_H_

#include <atomic>
#include <cstdint>
#ifdef EYRIE_WATCHED_LOCKS
#include <mutex>
#endif

#include "base/lone_thread.h"
#include "base/pause.h"

namespace eyrie {

#ifdef EYRIE_WATCHED_LOCKS
using ShortLock = std::mutex;
#else
class ShortLock {
 public:
  ShortLock() = default;
  ShortLock(const ShortLock&) = delete;
  ShortLock& operator=(const ShortLock&) = delete;

  void lock() {
    uint32_t free = kFree;
    if (!CompareExchange<uint32_t>(state_, free, kTaken,
                                   std::memory_order_acquire)) [[unlikely]]
      Wait();
  }
  void unlock() {
    if (Exchange<uint32_t>(state_, kFree, std::memory_order_release) == kWanted)
        [[unlikely]]
      state_.notify_one();
  }

 private:
  // kWanted: taken, and a thread may be sleeping.
  enum : uint32_t { kFree, kTaken, kWanted };

  // Looks this many times before it sleeps; a pause takes 10 to 60 ns.
  static constexpr int kLooks = 40;

  [[gnu::cold, gnu::noinline]] void Wait() {
    for (int look = 0; look < kLooks; ++look) {
      Pause();
      uint32_t free = kFree;
      if (state_.load(std::memory_order_relaxed) == kFree &&
          state_.compare_exchange_weak(free, kTaken,
                                       std::memory_order_acquire)) {
        return;
      }
    }
    // Takes the lock as kWanted, since other threads may still be sleeping.
    while (state_.exchange(kWanted, std::memory_order_acquire) != kFree) {
      state_.wait(kWanted, std::memory_order_relaxed);
    }
  }

  std::atomic<uint32_t> state_{kFree};
};
#endif

}  // namespace eyrie

#endif  // EYRIE_BASE_SHORT_LOCK_H_
