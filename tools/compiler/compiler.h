// Finds the installed releases of iree-compile, and runs them.
//
//   ASSIGN_OR_RETURN(auto compilers, FindCompilers(arguments, limits));
// Tested by tune/tune_test.txt.
#ifndef EYRIE_TOOLS_COMPILER_COMPILER_H_
#define EYRIE_TOOLS_COMPILER_COMPILER_H_

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/arg_parser.h"
#include "tools/capture.h"

namespace eyrie::tools {

struct Compiler {
  std::string program;   // the path of iree-compile
  std::string importer;  // the path of iree-import-onnx; "" if there is none
  std::string version;   // "3.13.0", "20230209.1", as the compiler prints it
};

// The rows of --compilers, --compile_timeout and --compile_flag.
std::span<const Flag> CompilerFlags();

// Returns the limits of --compile_timeout and of `stop`, which must outlive
// them. INVALID_ARGUMENT: the timeout is not a duration.
absl::StatusOr<CaptureLimits> CompileLimitsOf(const Arguments& arguments,
                                              const std::atomic<bool>& stop);

// Returns the compilers of --compilers. Without the flag, returns one: that of
// EYRIE_COMPILER, the iree-compile in PATH, or the one in the packages of a
// Python in PATH. Runs each for its version. NOT_FOUND: there is none, or a
// path has none. Otherwise fails as RunProgram does.
absl::StatusOr<std::vector<Compiler>> FindCompilers(
    const Arguments& arguments, const CaptureLimits& limits);

// Returns the name of a program that PATH finds, or the path of another one.
std::string TypedName(const std::string& program);

// Returns how a program ended with an exit code of Captured, after its name:
// "failed with exit code 1".
std::string EndText(int exit_code);

// Runs a program of a compiler and returns what it prints to stdout. The path
// is the first word. INVALID_ARGUMENT: it failed; the message has the line of
// its output that says why. DEADLINE_EXCEEDED, CANCELLED: a limit ended it.
// Otherwise fails as RunAndCapture does.
absl::StatusOr<std::string> RunProgram(const std::vector<std::string>& command,
                                       const CaptureLimits& limits);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_COMPILER_COMPILER_H_
