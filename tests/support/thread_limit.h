// Lets a test's process start some threads only, as a system without room does.
//
// The tests' linker hands calls of pthread_create over to this: those of code
// that is linked statically.
#ifndef EYRIE_TESTS_SUPPORT_THREAD_LIMIT_H_
#define EYRIE_TESTS_SUPPORT_THREAD_LIMIT_H_

namespace eyrie::tests {

// While it exists, pthread_create works `more` times, then fails with EAGAIN.
// One at a time.
class ThreadLimit {
 public:
  explicit ThreadLimit(int more);
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;
  ~ThreadLimit();
};

// How many threads have been started so far.
int ThreadsStarted();

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_THREAD_LIMIT_H_
