// What the system has under a path: files, folders, and the files in those.
//
// std::filesystem would bring C++'s locales into every program, 0.4 MB that
// nothing else here has a use for. Every function may be called by any thread.
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

// Of what a symbolic link leads to.
bool IsFolder(const std::string& path);
bool IsRegularFile(const std::string& path);
// In bytes; 0 where nothing is, too.
uint64_t FileSize(const std::string& path);

// The file of the running program; "" where the system does not say.
std::string ProgramPath();
// What stands before a path's last part, with its '/'; "" if that is all.
std::string FolderOf(absl::string_view path);

// The file of a plug-in of the tool: libeyrie_NAME.so beside the running
// program, where an installation has it, or where Bazel makes it. NOT_FOUND: it
// is at none of these.
absl::StatusOr<std::string> FindPlugin(absl::string_view name);

// Makes a folder and those above it that are missing. The error is that of
// SystemError and names the one that could not be made: NOT_FOUND where
// something else is in its place.
absl::Status MakeFolders(const std::string& path);

// Appends the regular files in a folder, and in those below it, whose names end
// with the extension and are more than that; sorted by the names on the way.
// Links to folders are not followed, folders that may not be read are passed
// over, and what may not be looked at counts as a file. NOT_FOUND: it is no
// folder; others as SystemError has them.
absl::Status ListFiles(const std::string& folder, absl::string_view extension,
                       std::vector<std::string>& files);

}  // namespace eyrie

#endif  // EYRIE_BASE_FOLDERS_H_
