// Runs a program and captures its output.
//
// Tested by rival_test.txt.
#ifndef EYRIE_TOOLS_RIVAL_CAPTURE_H_
#define EYRIE_TOOLS_RIVAL_CAPTURE_H_

#include <sys/types.h>

#include <atomic>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace eyrie::tools {

struct Captured {
  int exit_code = 0;  // 128 + the number of the signal that ended it
  std::string output;
  std::string errors;
};

// Controls a run from another thread or a signal handler. Async-signal-safe.
struct RunControl {
  // If true, the program gets SIGINT, SIGTERM after two seconds, and SIGKILL
  // (with its process group) after two more.
  std::atomic<bool> interrupted = false;
  // The id of its process and process group while it runs, otherwise 0.
  std::atomic<pid_t> running = 0;

  // Kills the running process group, if any. For use just before this process
  // ends.
  void Kill() const;
};

// Runs a program, found in PATH, in its own process group and with empty
// standard input. Only one run may be active at a time. A signal that ends this
// process (SIGTERM, SIGHUP, SIGQUIT, and SIGINT unless it has a handler) kills
// the group first. Returns at most kMaxOutput bytes of each output stream. Sets
// BENCHMARK_FORMAT for rows in full precision, unless it is set. INTERNAL: the
// program cannot be started.
inline constexpr size_t kMaxOutput = size_t{16} << 20;
absl::StatusOr<Captured> RunAndCapture(const std::vector<std::string>& command,
                                       RunControl& control);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_RIVAL_CAPTURE_H_
