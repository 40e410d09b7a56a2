// Where a path that is to be written leads, and whether it may be written.
//
// Looking changes nothing: no file is created or truncated, and a FIFO is not
// opened. The kinds are those that writers treat differently.
// Tested by file_writer_test.cc.
#ifndef EYRIE_BASE_FILE_TARGET_H_
#define EYRIE_BASE_FILE_TARGET_H_

#include <sys/stat.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/descriptor.h"

namespace eyrie {

struct FileTarget {
  enum class Kind {
    kMissing,     // no file; its folder takes new ones
    kRegular,     // a file, open in `file`
    kStream,      // a FIFO, a terminal, a device
    kDescriptor,  // a file that this process has open: /dev/stdout, /dev/fd/3
  };

  Kind kind = Kind::kMissing;
  // The path after the links at its end: what a link leads to gets written.
  std::string place;
  // Of kRegular: open for writing, at its start.
  Descriptor file;
  struct stat info = {};
  // Of kRegular: another file can take its name.
  bool has_name = true;
  // Of kDescriptor: the number.
  int number = -1;
  // Equal for two paths that lead to one file; empty for streams and
  // descriptors.
  std::string identity;

  bool is_stream() const {
    return kind == Kind::kStream || kind == Kind::kDescriptor;
  }
};

// NOT_FOUND: its folder does not exist. PERMISSION_DENIED: the file may not be
// written, or the folder takes no new file. INVALID_ARGUMENT: a directory.
// INTERNAL: the system's own words. A regular file that is this process's
// standard output or standard error counts as a descriptor.
absl::StatusOr<FileTarget> FindFileTarget(const std::string& path);

// FileTarget::identity of a file that exists; empty for anything else.
std::string FileIdentity(const std::string& path);

// How this process has a file mapped into its memory.
enum class Mapped {
  kNot,
  kForReading,  // or privately
  kForWriting,  // shared: writes to memory are writes to the file
};
Mapped HowMapped(const struct stat& file);

}  // namespace eyrie

#endif  // EYRIE_BASE_FILE_TARGET_H_
