// Writes the manifest of a library's handlers, as far as they can be probed.
//
// Tested by tools/native_test.sh, tests/native/jaxlib/jaxlib_test.py.
#ifndef EYRIE_ABI_NATIVE_XLA_PROBE_LIBRARY_H_
#define EYRIE_ABI_NATIVE_XLA_PROBE_LIBRARY_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace eyrie::native {

struct ProbedLibrary {
  std::string manifest;            // JSON; shapes that are not known are "?"
  std::vector<std::string> notes;  // sentences about what is missing
};

// Opens the library in a child process, which runs its constructors, and probes
// the handlers that it exports as `symbols` and those that it registers for the
// host. `module` is the manifest's. NOT_FOUND: there are none.
// DEADLINE_EXCEEDED: the library is not open after 10 s. Returns the errors of
// NativeLibrary::Open, and of CallInChild if the library ends the process.
absl::StatusOr<ProbedLibrary> ProbeLibrary(
    const std::string& path, const std::string& module,
    std::span<const std::string> symbols);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_PROBE_LIBRARY_H_
