// Calls a function on a thread after Ctrl-C, for work that a signal handler
// must not do.
//
// Tested by progress_test.txt, check/check_test.txt.
#ifndef EYRIE_TOOLS_INTERRUPT_THREAD_H_
#define EYRIE_TOOLS_INTERRUPT_THREAD_H_

#include <functional>

#include "base/thread.h"

namespace eyrie::tools {

// Like InterruptWatch, but the function may lock and print. Must be created
// before other threads are started. The destructor restores the previous signal
// mask.
class InterruptThread {
 public:
  explicit InterruptThread(std::function<void()> interrupted);
  InterruptThread(const InterruptThread&) = delete;
  InterruptThread& operator=(const InterruptThread&) = delete;
  ~InterruptThread();

 private:
  void Unblock() const;
  void Run(const std::function<void()>& interrupted) const;

  bool was_blocked_ = false;
  int signals_ = -1;  // readable after an interrupt
  int end_ = -1;      // readable when the destructor runs
  Thread thread_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INTERRUPT_THREAD_H_
