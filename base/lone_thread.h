// Atomic operations that use ordinary instructions while the process has one
// thread. A locked instruction takes longer than everything else that a call
// does to an object.
//
// The only thread cannot start another one in the middle of an operation, so
// this is safe. Threads must be created by the C library, which counts them. If
// it does not report them, the process counts as having several.
// Tested by lone_thread_test.cc.
#ifndef EYRIE_BASE_LONE_THREAD_H_
#define EYRIE_BASE_LONE_THREAD_H_

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define EYRIE_LONE_THREAD (__libc_single_threaded != 0)
#else
#define EYRIE_LONE_THREAD false
#endif

#include <atomic>

namespace eyrie {

// Reports whether the caller's thread is the only one of the process.
inline bool IsLoneThread() { return EYRIE_LONE_THREAD; }

#undef EYRIE_LONE_THREAD

// These do the same as the members of std::atomic.
template <typename T>
T FetchAdd(std::atomic<T>& value, T by, std::memory_order order) {
  if (!IsLoneThread()) return value.fetch_add(by, order);
  const T old = value.load(std::memory_order_relaxed);
  value.store(static_cast<T>(old + by), std::memory_order_relaxed);
  return old;
}

template <typename T>
T Exchange(std::atomic<T>& value, T desired, std::memory_order order) {
  if (!IsLoneThread()) return value.exchange(desired, order);
  const T old = value.load(std::memory_order_relaxed);
  value.store(desired, std::memory_order_relaxed);
  return old;
}

template <typename T>
bool CompareExchange(std::atomic<T>& value, T& expected, T desired,
                     std::memory_order order) {
  if (!IsLoneThread()) {
    return value.compare_exchange_strong(expected, desired, order);
  }
  const T old = value.load(std::memory_order_relaxed);
  if (old != expected) {
    expected = old;
    return false;
  }
  value.store(desired, std::memory_order_relaxed);
  return true;
}

}  // namespace eyrie

#endif  // EYRIE_BASE_LONE_THREAD_H_
