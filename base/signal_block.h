// Keeps signals from threads that a library starts: they are the program's, and
// go to its own threads.
//
// Tested by base_test.cc.
#ifndef EYRIE_BASE_SIGNAL_BLOCK_H_
#define EYRIE_BASE_SIGNAL_BLOCK_H_

#include <pthread.h>
#include <signal.h>

namespace eyrie {

// While it lives, the calling thread takes no signals, nor do threads that it
// starts, ever.
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
