// The file has a predictable name in a folder that all users may write to, so
// nothing that exists there is opened or followed.
#include "base/perf_map.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/system_error.h"

namespace eyrie {
namespace {

constexpr size_t kMaxName = 256;  // bytes

int CreateNew(const std::string& path) {
  return open(path.c_str(),
              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND | O_CLOEXEC,
              0600);
}

// Removes a regular file of this user.
absl::Status RemoveOwn(const std::string& path) {
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0) return absl::OkStatus();  // gone
  const char* what = nullptr;
  if (S_ISLNK(found.st_mode)) {
    what = "a link, which is not followed";
  } else if (!S_ISREG(found.st_mode)) {
    what = "not a regular file";
  } else if (found.st_uid != geteuid()) {
    what = "another user's";
  }
  if (what != nullptr) {
    return absl::PermissionDeniedError(
        absl::StrCat("Cannot replace ", path, ": it is ", what, "."));
  }
  if (unlink(path.c_str()) == 0) return absl::OkStatus();
  return SystemError("replace", path, errno);
}

}  // namespace

absl::StatusOr<std::shared_ptr<PerfMap>> PerfMap::Create(
    const std::string& folder) {
  std::string path = absl::StrCat(folder, "/perf-", getpid(), ".map");
  int descriptor = CreateNew(path);
  if (descriptor < 0 && errno == EEXIST) {
    RETURN_IF_ERROR(RemoveOwn(path));
    descriptor = CreateNew(path);
  }
  if (descriptor < 0) return SystemError("create", path, errno);
  return std::shared_ptr<PerfMap>(new PerfMap(std::move(path), descriptor));
}

PerfMap::~PerfMap() { close(descriptor_); }

absl::Status PerfMap::Add(std::span<const Function> functions) {
  std::string text;
  for (const Function& function : functions) {
    absl::StrAppend(&text, absl::Hex(function.address), " ",
                    absl::Hex(function.size), " ",
                    PlainText(function.name, kMaxName), "\n");
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  absl::string_view left = text;
  while (!left.empty()) {
    const ssize_t written = write(descriptor_, left.data(), left.size());
    if (written >= 0) {
      left.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      return SystemError("write", path_, errno);
    }
  }
  return absl::OkStatus();
}

}  // namespace eyrie
