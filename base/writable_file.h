// Maps a file for writing. Writes change the file and are visible to every
// other process that maps it.
//
// Tested by base_test.cc.
#ifndef EYRIE_BASE_WRITABLE_FILE_H_
#define EYRIE_BASE_WRITABLE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"

namespace eyrie {

// The size is fixed. Threads may share the object, but must synchronize access
// to the bytes. If another process truncates the file, access to the removed
// bytes faults.
class WritableFile {
 public:
  // NOT_FOUND: the file does not exist. PERMISSION_DENIED: it is not writable.
  // INVALID_ARGUMENT: it is not a regular file. Other system errors have
  // the code of SystemError().
  static absl::StatusOr<std::unique_ptr<WritableFile>> Open(
      const std::string& path);

  WritableFile(const WritableFile&) = delete;
  WritableFile& operator=(const WritableFile&) = delete;
  ~WritableFile();

  std::span<uint8_t> bytes() const { return bytes_; }

 private:
  explicit WritableFile(std::span<uint8_t> bytes) : bytes_(bytes) {}

  std::span<uint8_t> bytes_;
};

}  // namespace eyrie

#endif  // EYRIE_BASE_WRITABLE_FILE_H_
