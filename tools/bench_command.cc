// `eyrie bench`: hands over to eyrie-bench, which stands beside this program.
//
// Google Benchmark stays out of the program that everybody starts.
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

int BenchMain(std::span<const char* const> args) {
  char self[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
  if (size <= 0) {
    return ReportError(absl::InternalError("/proc/self/exe cannot be read."));
  }
  const std::string path = absl::StrCat(
      absl::string_view(self, static_cast<size_t>(size)), "-bench");
  std::vector<char*> argv = {const_cast<char*>(path.c_str())};
  for (const char* arg : args) argv.push_back(const_cast<char*>(arg));
  argv.push_back(nullptr);
  execv(path.c_str(), argv.data());
  return ReportError(absl::NotFoundError(
      absl::StrCat("'", path, "' cannot be started: ", std::strerror(errno),
                   ". It is the target //tools:eyrie-bench.")));
}

}  // namespace eyrie::tools
