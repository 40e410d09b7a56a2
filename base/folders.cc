#include "base/folders.h"

#include <fts.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

struct CloseTree {
  void operator()(FTS* tree) const { fts_close(tree); }
};

// An entry that may not be examined counts as a file; opening it reports why.
bool IsFile(const FTSENT& entry) {
  if (entry.fts_info == FTS_NS) return entry.fts_errno == EACCES;
  if (entry.fts_info != FTS_SL) return entry.fts_info == FTS_F;
  struct stat found;
  if (!Stat(entry.fts_path, found)) return errno == EACCES;
  return S_ISREG(found.st_mode);
}

// Returns the errno of an entry that cannot be read. Returns 0 if it can be
// read, if permission is missing, or if the entry was removed meanwhile.
int ErrorOf(const FTSENT& entry) {
  if (entry.fts_info != FTS_DNR && entry.fts_info != FTS_ERR &&
      entry.fts_info != FTS_NS) {
    return 0;
  }
  const int error = entry.fts_errno;
  const bool went = error == ENOENT || error == ENOTDIR;
  return error == EACCES || (went && entry.fts_level > FTS_ROOTLEVEL) ? 0
                                                                      : error;
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
  std::string root = folder;
  char* roots[] = {root.data(), nullptr};
  const std::unique_ptr<FTS, CloseTree> tree(fts_open(
      roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, /*compar=*/nullptr));
  if (tree == nullptr) return SystemError("read the folder", folder, errno);
  while (const FTSENT* const entry = fts_read(tree.get())) {
    const absl::string_view name(entry->fts_name, entry->fts_namelen);
    if (name.size() > extension.size() && absl::EndsWith(name, extension) &&
        IsFile(*entry)) {
      files.emplace_back(entry->fts_path);
    }
    if (const int error = ErrorOf(*entry)) {
      return SystemError("read the folder", entry->fts_path, error);
    }
  }
  if (errno != 0) return SystemError("read the folder", folder, errno);
  std::sort(files.begin() + static_cast<ptrdiff_t>(before), files.end(),
            ComesBefore);
  return absl::OkStatus();
}

}  // namespace eyrie
