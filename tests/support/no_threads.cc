// Preloaded into programs, simulates a system that cannot start threads.
#include <pthread.h>

#include <cerrno>

extern "C" int pthread_create(pthread_t*, const pthread_attr_t*,
                              void* (*)(void*), void*) noexcept {
  return EAGAIN;
}
