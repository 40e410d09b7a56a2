// Becomes another of the tool's programs, which stand beside each other.
//
// The program that everybody starts is linked statically: it starts in three
// quarters of the time, and runs where there are no libraries at all. What it
// cannot load, and what few starts ask for, is left to the others.
// Tested by static_test.sh.
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/folders.h"
#include "tools/command.h"

namespace eyrie::tools {
namespace {

bool IsSameFile(const std::string& a, const std::string& b) {
  struct stat first;
  struct stat second;
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// Of a program that is not started, the reason.
std::string Reason(const std::string& path, int error) {
  if (error == ENOENT && access(path.c_str(), F_OK) == 0) {
    return "the system has no loader for programs with shared libraries";
  }
  return std::strerror(error);
}

}  // namespace

absl::Status HandOver(const char* program, const char* command,
                      std::span<const char* const> args) {
  std::string self = ProgramPath();
  // Without /proc, as it was started.
  if (self.empty()) self = reinterpret_cast<char*>(getauxval(AT_EXECFN));
  const std::string path = absl::StrCat(FolderOf(self), program);
  if (IsSameFile(self, path)) {
    return absl::InternalError(
        absl::StrCat("'", path, "' is this program, which cannot do '", command,
                     "', under the name of the one that can."));
  }
  std::vector<char*> argv = {const_cast<char*>(path.c_str()),
                             const_cast<char*>(command)};
  for (const char* arg : args) argv.push_back(const_cast<char*>(arg));
  argv.push_back(nullptr);
  execv(path.c_str(), argv.data());
  return absl::NotFoundError(
      absl::StrCat("'", path, "' cannot be started: ", Reason(path, errno),
                   ". It belongs beside this program, for what that leaves to "
                   "it."));
}

}  // namespace eyrie::tools
