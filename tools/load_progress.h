// How far the reading or writing of files has come, on a terminal.
//
// Ctrl-C ends the process, as it does anyway, and leaves the terminal without
// half a line. In a pipe all of this is nothing.
// Tested by cli_test.py.
#ifndef EYRIE_TOOLS_LOAD_PROGRESS_H_
#define EYRIE_TOOLS_LOAD_PROGRESS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tools/interrupt_thread.h"
#include "tools/progress_line.h"

namespace eyrie::tools {

// One thread's. While it lives nothing else may watch for interrupts.
class LoadProgress {
 public:
  LoadProgress();
  LoadProgress(const LoadProgress&) = delete;
  LoadProgress& operator=(const LoadProgress&) = delete;

  // Begins with another file: "loading model.vmfb". `bytes` are to be counted
  // by done(); 0: they are not known.
  void Begin(std::string what, uint64_t bytes = 0);
  // The same with the size of a file, if it is one; nothing for a short one.
  void BeginFile(std::string what, const std::string& path);

  // How many of them there are now. Any thread's.
  std::atomic<uint64_t>& done() { return done_; }

 private:
  void Start();
  std::string Text();

  const bool on_terminal_;
  std::mutex mutex_;  // guards the next two
  std::string what_;
  uint64_t bytes_ = 0;
  std::atomic<uint64_t> done_ = 0;
  std::unique_ptr<ProgressLine> line_;  // null: not started
  std::optional<InterruptThread> watch_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_LOAD_PROGRESS_H_
