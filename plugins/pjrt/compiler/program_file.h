// An executable file with the worker's program.
//
// Tested by compiler_process_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_COMPILER_PROGRAM_FILE_H_
#define EYRIE_PLUGINS_PJRT_COMPILER_PROGRAM_FILE_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "base/descriptor.h"

namespace eyrie::pjrt {

// Owns a file in memory, or a temporary file, which is removed at the end. It
// is needed only until the program has been started.
class ProgramFile {
 public:
  // UNAVAILABLE: the system does not create the file.
  static absl::StatusOr<ProgramFile> InMemory(std::span<const uint8_t> image);
  // For systems that do not execute files in memory. Uses the first folder of
  // TMPDIR, the system's for temporary files, XDG_RUNTIME_DIR and HOME that is
  // on a file system whose files may be executed.
  // UNAVAILABLE: there is no such folder.
  static absl::StatusOr<ProgramFile> InFolder(std::span<const uint8_t> image);

  ProgramFile(ProgramFile&& other) noexcept = default;
  ProgramFile& operator=(ProgramFile&&) = delete;
  ~ProgramFile();

  // The path to execute.
  const std::string& path() const { return path_; }

 private:
  ProgramFile(Descriptor file, std::string path, std::string remove)
      : file_(std::move(file)),
        path_(std::move(path)),
        remove_(std::move(remove)) {}

  Descriptor file_;
  std::string path_;
  std::string remove_;  // the path to remove, or ""
};

// Returns a descriptor above those that a child's standard streams use, and
// closes the given one. Not open if the given one is not, or if there is none.
Descriptor WithHighNumber(int file);

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILER_PROGRAM_FILE_H_
