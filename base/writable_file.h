// A file's bytes, mapped writable and shared: what is written is in the file,
// and seen by whoever else has it mapped.
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

// Its size is fixed. Threads may share it; the bytes are not synchronized. The
// system writes what has changed to the disk when it likes, at the latest when
// the file is unmapped. A file that another process truncates meanwhile faults
// on access.
class WritableFile {
 public:
  // NOT_FOUND: no such file. PERMISSION_DENIED: it may not be written.
  // INVALID_ARGUMENT: it is no regular file. INTERNAL: the system refuses, in
  // its own words.
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
