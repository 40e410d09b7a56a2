// A lock for a few dozen instructions, on the way of every call: taking it and
// giving it back are one atomic instruction each where nobody else wants it
// (an ordinary one where there is no other thread), and no call. Who finds it
// taken sleeps until it is given back.
//
// Of std::lock_guard's kind; not recursive.
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
  enum : uint32_t { kFree, kTaken, kWanted };  // wanted: taken, somebody sleeps

  // Whoever has slept takes it as wanted: others may sleep still.
  [[gnu::cold, gnu::noinline]] void Wait() {
    while (state_.exchange(kWanted, std::memory_order_acquire) != kFree) {
      state_.wait(kWanted, std::memory_order_relaxed);
    }
  }

  std::atomic<uint32_t> state_{kFree};
};

}  // namespace eyrie

#endif  // EYRIE_BASE_SHORT_LOCK_H_
