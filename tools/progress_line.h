// A progress line at the bottom of a terminal.
//
// It is shown on stderr after half a second, and erased for other output. There
// is no line if stderr is not a terminal.
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
  // `text` returns the line's text. It is called repeatedly on another thread,
  // and must not use this object.
  explicit ProgressLine(std::function<std::string()> text);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  // Erases the line.
  ~ProgressLine();

  // Erases the line, calls `print`, and shows the line again later. `print` may
  // write to stdout or stderr, and must end its output with a line break.
  // Thread-safe.
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
