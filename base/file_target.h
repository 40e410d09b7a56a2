// Finds the file that a path leads to, and checks whether it may be written.
//
// Changes nothing: no file is created or truncated, and no FIFO is opened.
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
  // Writers treat each kind differently.
  enum class Kind {
    kMissing,     // the file does not exist, but can be created
    kRegular,     // a file, open in `file`
    kStream,      // a FIFO, a terminal, a device
    kDescriptor,  // a file that this process has open: /dev/stdout, /dev/fd/3
  };

  Kind kind = Kind::kMissing;
  // The path with the links at its end resolved. Writers write to it.
  std::string place;
  // For kRegular: open for writing, at its start.
  Descriptor file;
  struct stat info = {};
  // For kRegular: the file has a path, so another file can replace it.
  bool has_name = true;
  // For kDescriptor: its number.
  int number = -1;
  // Equal for two paths that lead to the same file. Empty for streams and
  // descriptors.
  std::string identity;

  bool is_stream() const {
    return kind == Kind::kStream || kind == Kind::kDescriptor;
  }
};

// The place in a file where bytes are written. Append-only files take kAtEnd
// only.
enum class WritePlace { kAnywhere, kAtEnd };

// Finds the target of `path`. A regular file that is also this process's
// standard output or standard error counts as a descriptor.
// NOT_FOUND: its folder does not exist. PERMISSION_DENIED: the file may not be
// written or created. INVALID_ARGUMENT: it is a directory. Other system errors
// have the code of SystemError().
absl::StatusOr<FileTarget> FindFileTarget(
    const std::string& path, WritePlace writes = WritePlace::kAnywhere);

// Returns FileTarget::identity of an existing regular file, otherwise "".
std::string FileIdentity(const std::string& path);

// How this process maps a file into its memory.
enum class Mapped {
  kNot,
  kForReading,  // or privately, so that writes do not reach the file
  kForWriting,  // shared: writes to memory are writes to the file
};
Mapped HowMapped(const struct stat& file);

}  // namespace eyrie

#endif  // EYRIE_BASE_FILE_TARGET_H_
