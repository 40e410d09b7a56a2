// Queries files and folders, creates folders, and lists files.
//
// std::filesystem would add C++'s locales to every program: 0.4 MB that nothing
// else here needs. All functions are thread-safe.
// Tested by folders_test.cc.
#ifndef EYRIE_BASE_FOLDERS_H_
#define EYRIE_BASE_FOLDERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie {

// Both follow symbolic links, and return false if nothing is at the path.
bool IsFolder(const std::string& path);
bool IsRegularFile(const std::string& path);
// Returns the size in bytes, or 0 if nothing is at the path.
uint64_t FileSize(const std::string& path);

// Returns the path of the running program, or "" if it is unknown.
std::string ProgramPath();
// Returns the path up to its last '/', which is included, or "" if it has none.
std::string FolderOf(absl::string_view path);

// Returns the path after its last '/'.
absl::string_view FileNameOf(absl::string_view path);

// Returns the path with "./" before it if it has no slash. The system's linker
// searches folders for a path without one.
std::string ExplicitPath(absl::string_view path);

// Returns the path of libeyrie_NAME.so, a plug-in of the tool. Looks next to
// the running program, where an installation puts it, and where Bazel builds
// it. NOT_FOUND: it is in none of these places.
absl::StatusOr<std::string> FindPlugin(absl::string_view name);

// Creates a folder and its missing parents. Errors have the code of
// SystemError() and name the folder that could not be created. NOT_FOUND:
// something other than a folder has its name.
absl::Status CreateFolders(const std::string& path);

// Appends the paths of all regular files in a folder and its subfolders that
// end with the extension and have a name before it. The appended paths are
// sorted as if '/' came before all other characters. Links to files count as
// files; links to folders are not followed. Skips folders that may not be read.
// If the type of an entry may not be read, the entry counts as a file.
// NOT_FOUND: `folder` is not a folder. Other errors have the code of
// SystemError(); some paths may have been appended before one.
absl::Status ListFiles(const std::string& folder, absl::string_view extension,
                       std::vector<std::string>& files);

}  // namespace eyrie

#endif  // EYRIE_BASE_FOLDERS_H_
