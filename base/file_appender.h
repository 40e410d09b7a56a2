// Appends to a file that other processes may append to at the same time.
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

// A new end of a file: replaces all its bytes from `offset` on.
struct FileTail {
  uint64_t offset = 0;
  std::string bytes;
};

// Thread-compatible. Writes to the file itself, not to a copy. All appenders of
// all processes take the same lock (flock), so that records are not mixed or
// lost. A missing file is created. After an error the file is unchanged, or
// the error says what is left in it. A process that is killed while it writes
// leaves a part of its record at the end.
//
// Writes FIFOs, terminals, devices and descriptors as FileWriter does.
class FileAppender {
 public:
  // How the caller changes a file: by Append() or by ReplaceTail().
  enum class Adds { kRecords, kTail };

  // Checks that the path may be written, without changing anything. An
  // append-only file takes records, but no new tail (PERMISSION_DENIED).
  FileAppender(std::string path, Adds adds);
  FileAppender(const FileAppender&) = delete;
  FileAppender& operator=(const FileAppender&) = delete;

  // Returns the result of the constructor's checks.
  const absl::Status& status() const { return status_; }
  const std::string& identity() const { return target_.identity; }
  bool is_stream() const { return target_.is_stream(); }

  // Calls `look` with the content of the file, under a lock that keeps all
  // appenders of all processes out. Returns its result, or the error of opening
  // the file. If the path is not a regular file, returns OK without a call.
  using LookAt = absl::FunctionRef<absl::Status(std::span<const uint8_t> now)>;
  absl::Status Look(LookAt look) const;

  // Appends one record, by one write at the end of the file (O_APPEND).
  absl::Status Append(std::span<const uint8_t> record);

  // For files that end with a table. Calls `make` under the lock with the
  // content, which is empty for a new file and for a stream, and replaces the
  // file's end with its result. If `make` fails, returns its error and changes
  // nothing.
  using MakeTail =
      absl::FunctionRef<absl::StatusOr<FileTail>(std::span<const uint8_t> old)>;
  absl::Status ReplaceTail(MakeTail make);

 private:
  // An open and locked file that path_ still names.
  struct Locked {
    Descriptor file;
    uint64_t size = 0;
    bool created = false;
  };
  absl::StatusOr<Locked> OpenLocked(int flags) const;
  absl::Status WriteStream(std::span<const uint8_t> bytes) const;
  // Restores the file's old end and returns the error in errno.
  absl::Status Undo(const Locked& locked, uint64_t offset,
                    std::span<const uint8_t> old_tail, uint64_t written) const;

  std::string path_;
  FileTarget target_;
  absl::Status status_;
};

}  // namespace eyrie

#endif  // EYRIE_BASE_FILE_APPENDER_H_
