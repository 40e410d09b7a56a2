// Handlers of Python packages: --native_library=wheel:klujax.
//
// Tested by native_test.sh.
#ifndef EYRIE_TOOLS_WHEEL_H_
#define EYRIE_TOOLS_WHEEL_H_

#include <memory>
#include <string>

#include "abi/native/native_libraries.h"
#include "absl/status/statusor.h"

namespace eyrie::tools {

// Runs a Python, which imports the package and tells where its handlers are:
// the files of their code, and their offsets there. Opens these files here,
// which runs their constructors. `python` is the Python's path; if empty, that
// of the environment VIRTUAL_ENV, or python3. `manifest` is a file that
// describes the handlers. INVALID_ARGUMENT: it is not given; the message lists
// the handlers. FAILED_PRECONDITION: Python cannot import the package, or the
// package offers no handlers. Returns the errors of NativeLibrary::Open.
absl::StatusOr<std::shared_ptr<const native::LoadedLibrary>> LoadWheel(
    const std::string& package, const std::string& manifest,
    const std::string& python);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_WHEEL_H_
