// Ctrl-C as an order to a running call, not the end of the process.
//
// Tested by cli_test.py.
#ifndef EYRIE_TOOLS_INTERRUPT_H_
#define EYRIE_TOOLS_INTERRUPT_H_

#include <signal.h>

#include <functional>

namespace eyrie::tools {

// While it lives, the first interrupt calls a function; a second one ends the
// process, for code that does not come back. One at a time; restores what was
// before.
class InterruptWatch {
 public:
  static constexpr int kExitCode = 130;  // of what is interrupted, by custom
  // Ends the process with it, at once.
  [[noreturn]] static void Exit();

  // `interrupted` is called in a signal handler, on any thread: it may do
  // what is async-signal-safe, as abi::Session::Cancel is. No thread is
  // needed for that: a process of one thread does without atomics and locks.
  explicit InterruptWatch(std::function<void()> interrupted);
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

  // Has the next interrupt call the function again, though one came before.
  // Async-signal-safe.
  void Rearm();

 private:
  std::function<void()> interrupted_;
  struct sigaction before_ = {};
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INTERRUPT_H_
