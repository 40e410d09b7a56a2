// Limits how many threads a test's process can start.
//
// The linker redirects calls of pthread_create to this, in code that is linked
// statically.
#ifndef EYRIE_TESTS_SUPPORT_THREAD_LIMIT_H_
#define EYRIE_TESTS_SUPPORT_THREAD_LIMIT_H_

namespace eyrie::tests {

// While this object lives, pthread_create works `more` times, then fails with
// EAGAIN. Only one object may exist at a time.
class ThreadLimit {
 public:
  explicit ThreadLimit(int more);
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;
  ~ThreadLimit();
};

// Returns the number of threads started so far.
int ThreadsStarted();

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_THREAD_LIMIT_H_
