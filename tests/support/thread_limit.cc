// Replaces pthread_create in tests, with the linker's --wrap.
#include "tests/support/thread_limit.h"

#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <limits>

namespace {

constexpr int kAny = std::numeric_limits<int>::max();
std::atomic<int> allowed{kAny};
std::atomic<int> started{0};

}  // namespace

extern "C" {

using Main = void*(void*);

int __real_pthread_create(pthread_t* id, const pthread_attr_t* attributes,
                          Main* main, void* argument);
int __wrap_pthread_create(pthread_t* id, const pthread_attr_t* attributes,
                          Main* main, void* argument);

int __wrap_pthread_create(pthread_t* id, const pthread_attr_t* attributes,
                          Main* main, void* argument) {
  int left = allowed;
  do {
    if (left == 0) return EAGAIN;
  } while (left != kAny && !allowed.compare_exchange_weak(left, left - 1));
  ++started;
  return __real_pthread_create(id, attributes, main, argument);
}

}  // extern "C"

namespace eyrie::tests {

ThreadLimit::ThreadLimit(int more) { allowed = more; }
ThreadLimit::~ThreadLimit() { allowed = kAny; }

int ThreadsStarted() { return started; }

}  // namespace eyrie::tests
