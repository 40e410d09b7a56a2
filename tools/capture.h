// Runs a program and captures its output.
//
// Tested by native_test.txt, cli_test.txt.
#ifndef EYRIE_TOOLS_CAPTURE_H_
#define EYRIE_TOOLS_CAPTURE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace eyrie::tools {

struct Captured {
  int exit_code = 0;  // 128 + the number of the signal that ended it
  std::string output;
  std::string errors;
};

// Runs a program, found in PATH, in its own process group and with empty
// standard input. Only one run may be active at a time. A signal that ends this
// process (SIGTERM, SIGHUP, SIGQUIT, and SIGINT unless it has a handler) kills
// the group first. Returns at most kMaxOutput bytes of each output stream.
// INTERNAL: the program cannot be started.
inline constexpr size_t kMaxOutput = size_t{16} << 20;
absl::StatusOr<Captured> RunAndCapture(const std::vector<std::string>& command);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CAPTURE_H_
