#include "base/file_attributes.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <string>

#include "absl/strings/str_split.h"

namespace eyrie {
namespace {

using Attributes = std::map<std::string, std::string>;

constexpr size_t kMaxBytes = size_t{1} << 16;  // the kernel's limit

// Returns false if the system refuses. A file system without extended
// attributes has none.
bool ReadAttributes(int file, Attributes& attributes) {
  std::string names(kMaxBytes, '\0');
  const ssize_t size = flistxattr(file, names.data(), names.size());
  if (size < 0) return errno == ENOTSUP;
  names.resize(static_cast<size_t>(size));
  std::string value(kMaxBytes, '\0');
  for (const absl::string_view view :
       absl::StrSplit(names, '\0', absl::SkipEmpty())) {
    const std::string name(view);
    const ssize_t got =
        fgetxattr(file, name.c_str(), value.data(), value.size());
    if (got < 0) return false;
    attributes[name] = value.substr(0, static_cast<size_t>(got));
  }
  return true;
}

}  // namespace

bool CopyAttributes(int from, int to) {
  struct stat wanted = {};
  struct stat have = {};
  if (fstat(from, &wanted) != 0 || fstat(to, &have) != 0) return false;
  if ((wanted.st_uid != have.st_uid || wanted.st_gid != have.st_gid) &&
      fchown(to, wanted.st_uid, wanted.st_gid) != 0) {
    return false;
  }
  if (fchmod(to, wanted.st_mode & 07777) != 0) return false;
  Attributes old_ones;
  Attributes new_ones;
  if (!ReadAttributes(from, old_ones) || !ReadAttributes(to, new_ones)) {
    return false;
  }
  for (const auto& [name, value] : new_ones) {
    if (!old_ones.contains(name) && fremovexattr(to, name.c_str()) != 0) {
      return false;
    }
  }
  for (const auto& [name, value] : old_ones) {
    const auto found = new_ones.find(name);
    if (found != new_ones.end() && found->second == value) continue;
    if (fsetxattr(to, name.c_str(), value.data(), value.size(), 0) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace eyrie
