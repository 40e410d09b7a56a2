// Names the commands for a file that is not a compiled module: a model that
// must be compiled first, parameters, a library, assembly.
//
// Every command that opens a module reports its errors through WithCommands.
// Tested by cli_test.txt, inspect/inspect_test.txt.
#ifndef EYRIE_TOOLS_OTHER_FILES_H_
#define EYRIE_TOOLS_OTHER_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace eyrie::tools {

// The flags with which iree-compile makes modules for this machine's processor.
inline constexpr const char* kHostFlags[] = {
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
};

// Returns a sentence about a file that is not a module, and the commands to
// type for it, one per line. Decides by the file's name and its first bytes.
// Returns "" for other files, also if nothing is at the path.
std::string CommandsFor(const std::string& path);

// Returns the error of opening a module. If it is INVALID_ARGUMENT and there
// are commands for the file, its message is CommandsFor().
absl::Status WithCommands(const absl::Status& status, const std::string& path);

template <typename T>
absl::StatusOr<T> WithCommands(absl::StatusOr<T> opened,
                               const std::string& path) {
  if (opened.ok()) return opened;
  return WithCommands(opened.status(), path);
}

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_OTHER_FILES_H_
