// Blocks signals on threads that the library starts, so that they reach the
// program's own threads.
//
// Tested by base_test.cc.
#ifndef EYRIE_BASE_SIGNAL_BLOCK_H_
#define EYRIE_BASE_SIGNAL_BLOCK_H_

#include <pthread.h>
#include <signal.h>

namespace eyrie {

// During its lifetime, all signals are blocked on the calling thread. Threads
// started meanwhile keep them blocked. Must be destroyed by the same thread.
class SignalBlock {
 public:
  SignalBlock() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;
  ~SignalBlock() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace eyrie

#endif  // EYRIE_BASE_SIGNAL_BLOCK_H_
