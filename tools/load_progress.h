// Shows the progress of reading or writing files on a terminal.
//
// Ctrl-C ends the process as usual, after the line is erased. Does nothing if
// stderr is not a terminal.
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

// Thread-compatible; done() is thread-safe. While an object lives, no other
// InterruptThread or InterruptWatch may exist.
class LoadProgress {
 public:
  LoadProgress();
  LoadProgress(const LoadProgress&) = delete;
  LoadProgress& operator=(const LoadProgress&) = delete;

  // Starts a step such as "loading model.vmfb". done() counts up to `bytes`; 0
  // means that the size is unknown.
  void Begin(std::string what, uint64_t bytes = 0);
  // Starts a step with the size of a file. Shows nothing for a short file.
  void BeginFile(std::string what, const std::string& path);

  // The number of bytes processed so far. Thread-safe.
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
