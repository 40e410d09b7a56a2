// Adds to the end of a file, next to other processes that do the same.
//
// Tested by file_writer_test.cc, tools/files_test.py.
#ifndef EYRIE_BASE_FILE_APPENDER_H_
#define EYRIE_BASE_FILE_APPENDER_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/descriptor.h"
#include "base/file_target.h"

namespace eyrie {

// The bytes that a file ends with, from an offset on.
struct FileTail {
  uint64_t offset = 0;
  std::string bytes;
};

// For one thread. The file itself is written, under a lock that all appenders
// of all processes take (flock), so that records are not mixed and none is
// lost. A file that does not exist is created. After an error the file is as
// before, or the error says what is left in it. A process that is killed while
// it writes leaves a part of its record at the end.
//
// FIFOs, terminals, devices and descriptors are written as by FileWriter.
class FileAppender {
 public:
  // Checks what can be known before, and changes nothing.
  explicit FileAppender(std::string path);
  FileAppender(const FileAppender&) = delete;
  FileAppender& operator=(const FileAppender&) = delete;

  // As FileWriter's, but of the checks alone.
  const absl::Status& status() const { return status_; }
  const std::string& identity() const { return target_.identity; }
  bool is_stream() const { return target_.is_stream(); }

  // Calls `look` with what a regular file holds, while no appender of any
  // process changes it; not at all where there is none. Returns its error, or
  // one of opening the file.
  using LookAt = absl::FunctionRef<absl::Status(std::span<const uint8_t> now)>;
  absl::Status Look(LookAt look) const;

  // Adds one record: one write at the end of the file (O_APPEND).
  absl::Status Append(std::span<const uint8_t> record);

  // For a file that ends with a table: `make` sees the content, which is empty
  // for a new file and for a stream, and gives what is to replace its end. It
  // is called under the lock; its error ends the appending.
  using MakeTail =
      absl::FunctionRef<absl::StatusOr<FileTail>(std::span<const uint8_t> old)>;
  absl::Status ReplaceTail(MakeTail make);

 private:
  // An open file that is locked and still has its name.
  struct Locked {
    Descriptor file;
    uint64_t size = 0;
    bool created = false;
  };
  absl::StatusOr<Locked> OpenLocked(int flags) const;
  absl::Status WriteStream(std::span<const uint8_t> bytes) const;
  // Fails with errno, after the file has got back its old end.
  absl::Status Undo(const Locked& locked, uint64_t offset,
                    std::span<const uint8_t> old_tail, uint64_t written) const;

  std::string path_;
  FileTarget target_;
  absl::Status status_;
};

}  // namespace eyrie

#endif  // EYRIE_BASE_FILE_APPENDER_H_
