// Converts an errno of a file operation to a status.
#ifndef EYRIE_BASE_SYSTEM_ERROR_H_
#define EYRIE_BASE_SYSTEM_ERROR_H_

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace eyrie {

// "Cannot open model.vmfb: No such file or directory." `error` is an errno.
inline absl::Status SystemError(const char* what, const std::string& path,
                                int error) {
  std::string text =
      absl::StrCat("Cannot ", what, " ", path.empty() ? "''" : path, ": ",
                   std::strerror(error), ".");
  if (error == ENOENT || error == ENOTDIR) return absl::NotFoundError(text);
  if (error == EACCES || error == EPERM || error == EROFS || error == EEXIST) {
    return absl::PermissionDeniedError(text);
  }
  if (error == ENOMEM || error == ENOSPC || error == EDQUOT || error == EFBIG) {
    return absl::ResourceExhaustedError(text);
  }
  if (error == EISDIR) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " is a directory, not a file."));
  }
  return absl::InternalError(text);
}

}  // namespace eyrie

#endif  // EYRIE_BASE_SYSTEM_ERROR_H_
