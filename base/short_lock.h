// A lock for short sections of code that every call runs. Without contention,
// lock() and unlock() take one atomic instruction each, and no function call;
// in a process with one thread, an ordinary instruction. With contention, a
// thread sleeps until the lock is released.
//
// Works with std::lock_guard. Not recursive.
// Tested by short_lock_test.cc.
#ifndef EYRIE_BASE_SHORT_LOCK_H_
#define EYRIE_BASE_SHORT_LOCK_H_

#include <atomic>
#include <cstdint>

#include "base/lone_thread.h"

namespace eyrie {

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

  // Takes the lock as kWanted, since other threads may still be sleeping.
  [[gnu::cold, gnu::noinline]] void Wait() {
    while (state_.exchange(kWanted, std::memory_order_acquire) != kFree) {
      state_.wait(kWanted, std::memory_order_relaxed);
    }
  }

  std::atomic<uint32_t> state_{kFree};
};

}  // namespace eyrie

#endif  // EYRIE_BASE_SHORT_LOCK_H_
