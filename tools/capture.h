// Runs a program and captures its output.
//
// Tested by native_test.txt, cli_test.txt, tune/tune_test.txt.
#ifndef EYRIE_TOOLS_CAPTURE_H_
#define EYRIE_TOOLS_CAPTURE_H_

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace eyrie::tools {

inline constexpr int kSignalCode = 128;

struct Captured {
  int exit_code = 0;  // kSignalCode + the number of the signal that ended it
  std::string output;
  std::string errors;
};

struct CaptureLimits {
  absl::Duration timeout = absl::InfiniteDuration();
  // Ends the program when it becomes true. May be null.
  const std::atomic<bool>* stop = nullptr;
};

// Runs a program, found in PATH, in its own process group and with empty
// standard input. Only one run may be active at a time. A signal that ends this
// process (SIGTERM, SIGHUP, SIGQUIT, and SIGINT unless it has a handler) kills
// the group first. Returns at most kMaxOutput bytes of each output stream.
// DEADLINE_EXCEEDED, CANCELLED: a limit ended the program: SIGTERM to its group
// and, 2 s later, SIGKILL. Other codes, as SystemError: it cannot be started.
inline constexpr size_t kMaxOutput = size_t{16} << 20;
absl::StatusOr<Captured> RunAndCapture(const std::vector<std::string>& command,
                                       const CaptureLimits& limits = {});

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CAPTURE_H_
