// Ctrl-C as a call on a thread, for work that no signal handler may do.
//
// Tested by progress_test.txt, check/check_test.txt.
#ifndef EYRIE_TOOLS_INTERRUPT_THREAD_H_
#define EYRIE_TOOLS_INTERRUPT_THREAD_H_

#include <functional>

#include "base/thread.h"

namespace eyrie::tools {

// As InterruptWatch, but that the function may do anything: locks, prints.
// Made before other threads are, by one thread; restores what was before.
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
  int signals_ = -1;  // readable when an interrupt has come
  int end_ = -1;      // readable when the watch ends
  Thread thread_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INTERRUPT_THREAD_H_
