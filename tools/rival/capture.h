// A program that is run to its end, with what it printed.
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
  int exit_code = 0;  // of one that a signal ended, 128 and its number
  std::string output;
  std::string errors;
};

// What becomes of a run from outside of it. Async-signal-safe.
struct RunControl {
  // True: the program is asked to end (SIGINT); two seconds later told to
  // (SIGTERM), and after two more it and all of its group are killed.
  std::atomic<bool> interrupted = false;
  // Its process and group while it runs, and 0 else.
  std::atomic<pid_t> running = 0;

  // Kills the group that runs, if any: for who is about to leave.
  void Kill() const;
};

// Runs a program, which is sought in PATH, with standard input empty, in a
// process group of its own; one run at a time. A signal that ends this process
// (SIGTERM, SIGHUP, SIGQUIT) kills that group first. What it prints goes to
// files in memory, of kMaxOutput bytes each at most when read. It is asked, by
// BENCHMARK_FORMAT, for rows in full precision, unless that is set. INTERNAL:
// it cannot be started.
inline constexpr size_t kMaxOutput = size_t{16} << 20;
absl::StatusOr<Captured> RunAndCapture(const std::vector<std::string>& command,
                                       RunControl& control);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_RIVAL_CAPTURE_H_
