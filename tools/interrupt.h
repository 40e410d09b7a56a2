// Makes Ctrl-C cancel a running call instead of ending the process.
//
// Tested by cli_test.py.
#ifndef EYRIE_TOOLS_INTERRUPT_H_
#define EYRIE_TOOLS_INTERRUPT_H_

#include <signal.h>

#include <functional>

namespace eyrie::tools {

// While an object lives, the first interrupt calls a function; a second one
// ends the process, in case the code does not return. At most one object may
// exist at a time. The destructor restores the previous handler.
class InterruptWatch {
 public:
  static constexpr int kExitCode = 130;  // the shell's code for SIGINT
  // Ends the process immediately, with kExitCode.
  [[noreturn]] static void Exit();

  // `interrupted` is called in a signal handler, on any thread. It must be
  // async-signal-safe, as abi::Session::Cancel is. A handler needs no second
  // thread, and a process with one thread avoids atomics and locks.
  explicit InterruptWatch(std::function<void()> interrupted);
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

  // Makes the next interrupt call the function again. Async-signal-safe.
  void Rearm();

 private:
  std::function<void()> interrupted_;
  struct sigaction before_ = {};
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INTERRUPT_H_
