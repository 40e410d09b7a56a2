// Hands over to eyrie-full, which stands beside this program.
//
// The program that everybody starts is linked statically: it starts in three
// quarters of the time, and runs where there are no libraries at all. What it
// cannot load, and what few starts ask for, is left to the other one.
// Tested by cli_test.py.
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/command.h"

namespace eyrie::tools {

absl::Status HandOver(const char* command, std::span<const char* const> args) {
  char self[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
  if (size <= 0) {
    return absl::InternalError(absl::StrCat(
        "/proc/self/exe cannot be read, beside which eyrie-full stands: ",
        std::strerror(errno), "."));
  }
  const std::string path =
      absl::StrCat(absl::string_view(self, static_cast<size_t>(size)), "-full");
  std::vector<char*> argv = {const_cast<char*>(path.c_str()),
                             const_cast<char*>(command)};
  for (const char* arg : args) argv.push_back(const_cast<char*>(arg));
  argv.push_back(nullptr);
  execv(path.c_str(), argv.data());
  return absl::NotFoundError(absl::StrCat(
      "'", path, "' cannot be started: ", std::strerror(errno),
      ". It has what needs shared libraries, and all commands but run."));
}

}  // namespace eyrie::tools
