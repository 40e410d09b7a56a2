// Writes a file piece by piece and replaces its old content at the end.
//
// The rule for every file that Eyrie writes: a file keeps what is not its
// content (the links to it, its other names, mode, owner and attributes), and
// it keeps its old content unless the new content is complete. file_writer.cc
// says how. file_appender.h has the rule for files that grow.
// Tested by file_writer_test.cc, tools/files_test.py.
#ifndef EYRIE_BASE_FILE_WRITER_H_
#define EYRIE_BASE_FILE_WRITER_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/descriptor.h"
#include "base/file_target.h"

namespace eyrie {

// Takes bytes in order.
using ByteSink = absl::FunctionRef<absl::Status(std::span<const uint8_t>)>;

// For one thread. Until Finish nothing is created, and a file that exists is
// untouched and may be read; a process that ends before leaves no trace. One
// exception: on file systems without unnamed files (NFS, FAT) the new content
// is PATH.PID.part until Finish, which a process that is killed leaves behind.
//
// FIFOs, terminals and devices are opened at the first write and are written
// directly, as are files that this process has open (/dev/stdout, /dev/fd/3):
// these go on where the descriptor is.
class FileWriter {
 public:
  // Checks what can be known before: that the path may be written.
  explicit FileWriter(std::string path);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();

  // The first error: NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT (a
  // directory), RESOURCE_EXHAUSTED (a full disk, a limit of the process) or
  // INTERNAL, with the path and the system's own words. FAILED_PRECONDITION:
  // this process uses the file in a way that the writing would disturb. Write
  // and Finish return the same.
  const absl::Status& status() const { return status_; }
  // RESOURCE_EXHAUSTED: the file system has less than `size` bytes left. To be
  // called before writing; OK for streams.
  absl::Status CheckRoom(uint64_t size);
  // Larger pieces of zeros take no room in a file.
  absl::Status Write(std::span<const uint8_t> bytes);
  absl::Status WriteText(absl::string_view text);
  // Puts the new content in its place. An error says so where the old content
  // is lost.
  absl::Status Finish();

  // Equal for two writers of one file; empty for streams.
  const std::string& identity() const { return target_.identity; }
  bool is_stream() const { return target_.is_stream(); }

 private:
  void Open();
  // Each opens new_file_. False: the folder takes no such file.
  bool OpenUnnamed(const std::string& folder);
  bool OpenPartial();
  bool OpenElsewhere();
  absl::Status OpenStream();
  absl::Status Put(std::span<const uint8_t> bytes);

  // Steps of Finish.
  void Publish();
  bool Link(const std::string& name);
  bool LinkPartial();
  void CreateNew();
  bool Replace();
  absl::Status CheckInPlace() const;
  void WriteInPlace();
  void CopyInto(int target, uint64_t size);
  void Fail(const char* doing);

  std::string path_;
  FileTarget target_;
  Descriptor new_file_;   // the new content, or the stream
  std::string partial_;   // the name of new_file_ until Finish, if it has one
  bool unnamed_ = false;  // new_file_ can get a name
  uint64_t zeros_ = 0;    // to be written before the next bytes
  absl::Status status_;
};

}  // namespace eyrie

#endif  // EYRIE_BASE_FILE_WRITER_H_
