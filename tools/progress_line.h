// A line at the bottom of a terminal that says how far something has come.
//
// It stands on stderr, if that is a terminal, from half a second after the
// beginning, and is wiped away for other output. In a pipe there is none.
// Tested by cli_test.py.
#ifndef EYRIE_TOOLS_PROGRESS_LINE_H_
#define EYRIE_TOOLS_PROGRESS_LINE_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

#include "absl/functional/function_ref.h"
#include "base/thread.h"

namespace eyrie::tools {

class ProgressLine {
 public:
  // `text` is called now and then, on a thread: what the line is to say. It
  // must not use the line.
  explicit ProgressLine(std::function<std::string()> text);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  // Wipes it away.
  ~ProgressLine();

  // Wipes the line away, prints something else to stdout or stderr, which ends
  // its last line, and lets the line come back. Any thread's.
  void Print(absl::FunctionRef<void()> print);

 private:
  void Run();
  void Show(const std::string& text);
  void Wipe();

  std::function<std::string()> text_;
  std::mutex mutex_;  // guards what follows, and the terminal
  std::condition_variable ended_;
  bool end_ = false;
  bool shown_ = false;
  Thread thread_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_PROGRESS_LINE_H_
