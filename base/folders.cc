#include "base/folders.h"

#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "base/system_error.h"

namespace eyrie {
namespace {

// Reports whether something is at the path, and what.
bool Stat(const std::string& path, struct stat& found) {
  return stat(path.c_str(), &found) == 0;
}

// '/' comes before all other characters: "a/z", "a-b/a".
bool ComesBefore(const std::string& a, const std::string& b) {
  const auto rank = [](char c) {
    return c == '/' ? 0 : static_cast<unsigned char>(c);
  };
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(),
      [&](char x, char y) { return rank(x) < rank(y); });
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

// An entry whose type may not be read counts as a file; opening it reports why.
bool IsFile(const std::string& path, const struct stat& entry) {
  if (!S_ISLNK(entry.st_mode)) return S_ISREG(entry.st_mode);
  struct stat found;
  if (!Stat(path, found)) return errno == EACCES;
  return S_ISREG(found.st_mode);
}

// Returns an error for an errno that is not 0, but not if permission is missing
// or if the entry was removed meanwhile.
absl::Status ErrorOf(const std::string& path, int error) {
  if (error == 0 || error == EACCES || error == ENOENT || error == ENOTDIR) {
    return absl::OkStatus();
  }
  return SystemError("read the folder", path, error);
}

// Appends the files of a folder, and its subfolders to `folders`.
absl::Status ListOne(const std::string& folder, absl::string_view extension,
                     std::vector<std::string>& folders,
                     std::vector<std::string>& files) {
  const std::unique_ptr<DIR, CloseFolder> entries(opendir(folder.c_str()));
  if (entries == nullptr) return ErrorOf(folder, errno);
  while (true) {
    errno = 0;
    const dirent* const entry = readdir(entries.get());
    if (entry == nullptr) return ErrorOf(folder, errno);
    const absl::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    const std::string path =
        absl::StrCat(folder, absl::EndsWith(folder, "/") ? "" : "/", name);
    struct stat found;
    const bool is_known = lstat(path.c_str(), &found) == 0;
    if (!is_known && errno != EACCES) {
      RETURN_IF_ERROR(ErrorOf(path, errno));
      continue;
    }
    if (is_known && S_ISDIR(found.st_mode)) folders.push_back(path);
    if (name.size() > extension.size() && absl::EndsWith(name, extension) &&
        (!is_known || IsFile(path, found))) {
      files.push_back(path);
    }
  }
}

}  // namespace

std::string ProgramPath() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  return size <= 0 ? "" : std::string(path, static_cast<size_t>(size));
}

std::string FolderOf(absl::string_view path) {
  return std::string(path.data(), path.rfind('/') + 1);
}

absl::string_view FileNameOf(absl::string_view path) {
  return path.substr(path.rfind('/') + 1);  // 0 if there is none
}

std::string ExplicitPath(absl::string_view path) {
  return absl::StrCat(absl::StrContains(path, '/') ? "" : "./", path);
}

absl::StatusOr<std::string> FindPlugin(absl::string_view name) {
  std::string folder = FolderOf(ProgramPath());
  if (folder.empty()) folder = "./";
  const std::string file = absl::StrCat("libeyrie_", name, ".so");
  const std::string places[] = {
      absl::StrCat(folder, file),
      absl::StrCat(folder, "../lib/eyrie/", file),  // installed
      absl::StrCat(folder, "../plugins/", name, "/", file)};
  for (const std::string& place : places) {
    if (access(place.c_str(), F_OK) == 0) return place;
  }
  return absl::NotFoundError(
      absl::StrCat("There is no plug-in '", name, "': neither ",
                   absl::StrJoin(places, " nor "), " exists."));
}

bool IsFolder(const std::string& path) {
  struct stat found;
  return Stat(path, found) && S_ISDIR(found.st_mode);
}

bool IsRegularFile(const std::string& path) {
  struct stat found;
  return Stat(path, found) && S_ISREG(found.st_mode);
}

uint64_t FileSize(const std::string& path) {
  struct stat found;
  return Stat(path, found) ? static_cast<uint64_t>(found.st_size) : 0;
}

absl::Status CreateFolders(const std::string& path) {
  // Otherwise the parents would be created before the error.
  if (path.size() >= PATH_MAX) {
    return SystemError("make the folder", path, ENAMETOOLONG);
  }
  size_t end = 0;
  while (end < path.size()) {
    end = std::min(path.find('/', end + 1), path.size());
    const std::string folder = path.substr(0, end);
    if (mkdir(folder.c_str(), 0777) == 0) continue;
    int error = errno;
    struct stat found;
    // If nothing may be created here, an existing folder is good enough.
    const bool is_there = Stat(folder, found);
    if (is_there && S_ISDIR(found.st_mode)) continue;
    if (error == EEXIST) error = is_there ? ENOTDIR : errno;
    return SystemError("make the folder", folder, error);
  }
  return absl::OkStatus();
}

absl::Status ListFiles(const std::string& folder, absl::string_view extension,
                       std::vector<std::string>& files) {
  struct stat found;
  if (!Stat(folder, found)) {
    return SystemError("read the folder", folder, errno);
  }
  if (!S_ISDIR(found.st_mode)) {
    return SystemError("read the folder", folder, ENOTDIR);
  }
  const size_t before = files.size();
  std::vector<std::string> folders = {folder};
  while (!folders.empty()) {
    const std::string next = std::move(folders.back());
    folders.pop_back();
    RETURN_IF_ERROR(ListOne(next, extension, folders, files));
  }
  std::sort(files.begin() + static_cast<ptrdiff_t>(before), files.end(),
            ComesBefore);
  return absl::OkStatus();
}

}  // namespace eyrie
