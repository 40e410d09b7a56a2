#include "base/file_target.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/folders.h"
#include "base/status_macros.h"
#include "base/system_error.h"

namespace eyrie {
namespace {

constexpr int kMaxLinks = 40;  // the kernel's limit

std::string NonEmptyFolderOf(const std::string& path) {
  std::string folder = FolderOf(path);
  return folder.empty() ? "./" : folder;
}

bool IsInProc(const std::string& folder) {
  struct statfs info = {};
  return statfs(folder.c_str(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

// Returns the number of this process's descriptor that a link in /proc names,
// or -1 for other links.
int OwnDescriptor(const std::string& place) {
  char* const resolved = realpath(NonEmptyFolderOf(place).c_str(), nullptr);
  const std::string folder = resolved == nullptr ? "" : resolved;
  std::free(resolved);
  int number = -1;
  if (!absl::StartsWith(folder, absl::StrCat("/proc/", getpid(), "/")) ||
      !absl::EndsWith(folder, "/fd") ||
      !absl::SimpleAtoi(place.substr(place.rfind('/') + 1), &number)) {
    return -1;
  }
  return number;
}

// Follows the links at the path's end until a place that is not a link or does
// not exist.
absl::Status FollowLinks(const std::string& path, FileTarget& target) {
  target.place = path;
  for (int links = 0; links < kMaxLinks; ++links) {
    struct stat info = {};
    if (lstat(target.place.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) {
      return absl::OkStatus();  // open() reports the error, if any
    }
    const std::string folder = NonEmptyFolderOf(target.place);
    if (IsInProc(folder)) {
      // The text of such a link is not always a path.
      target.number = OwnDescriptor(target.place);
      target.has_name = false;
      return absl::OkStatus();
    }
    char text[PATH_MAX];
    const ssize_t size = readlink(target.place.c_str(), text, sizeof(text));
    if (size < 0) return SystemError("open", path, errno);
    const absl::string_view to(text, static_cast<size_t>(size));
    target.place =
        absl::StartsWith(to, "/") ? std::string(to) : absl::StrCat(folder, to);
  }
  return SystemError("open", path, ELOOP);
}

absl::Status UseDescriptor(const std::string& path, FileTarget& target) {
  const int flags = fcntl(target.number, F_GETFL);
  if (flags < 0) return SystemError("open", path, errno);
  if ((flags & O_ACCMODE) == O_RDONLY) {
    return SystemError("write", path, EBADF);
  }
  target.kind = FileTarget::Kind::kDescriptor;
  return absl::OkStatus();
}

absl::Status CheckFolder(const std::string& path, FileTarget& target) {
  // The system does not follow some links in folders that all users may write.
  if (target.place != path) {
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.is_open() && errno != ENOENT) {
      return SystemError("open", path, errno);
    }
  }
  const std::string folder = NonEmptyFolderOf(target.place);
  struct stat info = {};
  if (stat(folder.c_str(), &info) != 0 ||
      faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    return SystemError("create", path, errno);
  }
  target.identity =
      absl::StrCat(info.st_dev, ":", info.st_ino, "/",
                   target.place.substr(FolderOf(target.place).size()));
  return absl::OkStatus();
}

std::string IdentityOf(const struct stat& info) {
  return absl::StrCat(info.st_dev, ":", info.st_ino);
}

// Reports whether the file is open as the descriptor `number`, for writing. A
// separate writer and that stream would overwrite each other's output.
bool IsStandardStream(const struct stat& info, int number) {
  struct stat stream = {};
  return fstat(number, &stream) == 0 && stream.st_dev == info.st_dev &&
         stream.st_ino == info.st_ino &&
         (fcntl(number, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

absl::Status OpenExisting(const std::string& path, WritePlace writes,
                          FileTarget& target) {
  const int append = writes == WritePlace::kAtEnd ? O_APPEND : 0;
  target.file.reset(
      open(path.c_str(), O_WRONLY | append | O_CLOEXEC | O_NOCTTY));
  if (!target.file.is_open() || fstat(target.file.get(), &target.info) != 0) {
    return SystemError("open", path, errno);
  }
  target.kind = FileTarget::Kind::kRegular;
  target.identity = IdentityOf(target.info);
  for (const int number : {STDOUT_FILENO, STDERR_FILENO}) {
    if (!IsStandardStream(target.info, number)) continue;
    target.kind = FileTarget::Kind::kDescriptor;
    target.number = number;
    target.identity.clear();
    target.file.reset();
    break;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<FileTarget> FindFileTarget(const std::string& path,
                                          WritePlace writes) {
  if (path.empty()) return SystemError("open", path, ENOENT);
  FileTarget target;
  RETURN_IF_ERROR(FollowLinks(path, target));
  if (target.number >= 0) {
    RETURN_IF_ERROR(UseDescriptor(path, target));
    return target;
  }
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0) {
    if (errno == ENOTDIR) return SystemError("create", path, errno);
    if (errno != ENOENT) return SystemError("open", path, errno);
    RETURN_IF_ERROR(CheckFolder(path, target));
    return target;
  }
  if (S_ISREG(info.st_mode)) {
    RETURN_IF_ERROR(OpenExisting(path, writes, target));
    return target;
  }
  if (S_ISDIR(info.st_mode)) return SystemError("write", path, EISDIR);
  if (S_ISSOCK(info.st_mode)) return SystemError("open", path, ENXIO);
  if (faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    return SystemError("open", path, errno);
  }
  target.kind = FileTarget::Kind::kStream;
  return target;
}

std::string FileIdentity(const std::string& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return "";
  return IdentityOf(info);
}

Mapped HowMapped(const struct stat& file) {
  const Descriptor maps(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
  std::string text;
  char piece[4096];
  ssize_t size = 0;
  while (maps.is_open() &&
         ((size = read(maps.get(), piece, sizeof(piece))) > 0 ||
          (size < 0 && errno == EINTR))) {
    if (size > 0) text.append(piece, static_cast<size_t>(size));
  }
  Mapped how = Mapped::kNot;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    // "7f00-7f01 r--p 00000000 fe:00 1234   /a/path". The device is not
    // compared, since it may differ from stat()'s, as on overlays and btrfs.
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, ' ', absl::SkipEmpty());
    uint64_t inode = 0;
    if (words.size() < 6 || !absl::SimpleAtoi(words[4], &inode) ||
        inode != file.st_ino) {
      continue;
    }
    const absl::string_view mode = words[1];  // "rw-s"
    if (mode.size() == 4 && mode[1] == 'w' && mode[3] == 's') {
      return Mapped::kForWriting;
    }
    how = Mapped::kForReading;
  }
  return how;
}

}  // namespace eyrie
