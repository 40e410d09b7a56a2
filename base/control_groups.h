// The limits that containers set: control groups (cgroups) of this process.
//
// The system's files are read through a function, so that tests can pass their
// own text. Formats: Linux, Documentation/admin-guide/cgroup-v1 and -v2.
// Tested by control_groups_test.cc.
#ifndef EYRIE_BASE_CONTROL_GROUPS_H_
#define EYRIE_BASE_CONTROL_GROUPS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace eyrie {

// Returns the content of a small file, or nullopt if it does not exist.
using ReadText =
    absl::FunctionRef<std::optional<std::string>(const std::string& path)>;

// Reads at most the first 16 KiB of a file of the system.
std::optional<std::string> ReadSystemText(const std::string& path);

// Calls `visit` with the folder of each group that /proc/self/cgroup lists for
// a controller ("cpu"), and with those of its parents. The folder ends with a
// slash. `unified`: it is of cgroup v2, where all controllers share a folder.
void VisitControlGroups(
    absl::string_view controller, ReadText read,
    absl::FunctionRef<void(const std::string& folder, bool unified)> visit);

// Returns the memory that this process's groups may use, in bytes, or nullopt
// if there is no limit.
std::optional<uint64_t> GroupMemory(ReadText read);

}  // namespace eyrie

#endif  // EYRIE_BASE_CONTROL_GROUPS_H_
