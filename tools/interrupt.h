// Ctrl-C as an order to a running call, not the end of the process.
//
// Tested by cli_test.py.
#ifndef EYRIE_TOOLS_INTERRUPT_H_
#define EYRIE_TOOLS_INTERRUPT_H_

#include <functional>
#include <thread>

namespace eyrie::tools {

// While it lives, the first interrupt calls a function, on a thread; a second
// one ends the process, for code that does not come back. Made before other
// threads are, by one thread; restores what was before.
class InterruptWatch {
 public:
  static constexpr int kExitCode = 130;  // of what is interrupted, by custom
  // Ends the process with it, at once.
  [[noreturn]] static void Exit();

  explicit InterruptWatch(std::function<void()> interrupted);
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

 private:
  void Run(const std::function<void()>& interrupted) const;

  bool was_blocked_ = false;
  int signals_ = -1;  // readable when an interrupt has come
  int end_ = -1;      // readable when the watch ends
  std::thread thread_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INTERRUPT_H_
