#include "tools/compiler/result_folder.h"

#include <ftw.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "base/folders.h"
#include "base/status_macros.h"
#include "base/system_error.h"

namespace eyrie::tools {

absl::StatusOr<ResultFolder> ResultFolder::Create(const std::string& path) {
  if (!path.empty()) {
    RETURN_IF_ERROR(CreateFolders(path));
    return ResultFolder(path, false);
  }
  const char* const parent = std::getenv("TMPDIR");
  std::string folder = absl::StrCat(
      parent == nullptr || *parent == '\0' ? "/tmp" : parent, "/eyrie.XXXXXX");
  if (mkdtemp(folder.data()) == nullptr) {
    return SystemError("create the folder", folder, errno);
  }
  return ResultFolder(std::move(folder), true);
}

ResultFolder::~ResultFolder() {
  if (!is_temporary_) return;
  constexpr int kMaxFiles = 8;  // open at a time
  // Does not follow links, and visits a folder after its files.
  nftw(
      path_.c_str(),
      [](const char* path, const struct stat*, int, FTW*) {
        std::remove(path);
        return 0;
      },
      kMaxFiles, FTW_DEPTH | FTW_PHYS);
}

}  // namespace eyrie::tools
