// Writes a file piece by piece and replaces its old content at the end.
//
// The rule for every file that Eyrie writes: links to it, its other names,
// mode, owner and attributes are preserved, and the old content is kept until
// the new content is complete. file_writer.cc explains how. file_appender.h has
// the rule for files that grow. Tested by file_writer_test.cc,
// tools/files_test.py.
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

// Thread-compatible. Before Finish nothing is created, and an existing file is
// unchanged and may be read. If the writer is destroyed or the process ends
// before Finish, no file is left. One exception: on file systems without
// unnamed files (NFS, FAT) the new content is in PATH.PID.part until Finish,
// and stays there if the process is killed.
//
// FIFOs, terminals and devices are opened at the first write and written
// directly. So are files that this process has open (/dev/stdout, /dev/fd/3),
// at the descriptor's position.
class FileWriter {
 public:
  // Checks that the path may be written; see status().
  explicit FileWriter(std::string path);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();

  // Returns the first error, as Write and Finish do: NOT_FOUND,
  // PERMISSION_DENIED, INVALID_ARGUMENT (a directory), RESOURCE_EXHAUSTED (a
  // full disk, a limit of the process) or INTERNAL, with the path and the
  // system's message. FAILED_PRECONDITION: this process maps the file in a way
  // that writing would disturb, or the file was replaced by something else.
  const absl::Status& status() const { return status_; }
  // Must be called before the first write. Does nothing for streams.
  // RESOURCE_EXHAUSTED: the file system has less than `size` bytes left.
  absl::Status CheckRoom(uint64_t size);
  // A piece of at least 4096 zeros becomes a hole, which uses no disk space,
  // unless the file must be overwritten in place.
  absl::Status Write(std::span<const uint8_t> bytes);
  absl::Status WriteText(absl::string_view text);
  // Replaces the old content with the new. If that fails and the old content is
  // lost, the error says so.
  absl::Status Finish();

  // Equal for two writers of the same file. Empty for streams.
  const std::string& identity() const { return target_.identity; }
  bool is_stream() const { return target_.is_stream(); }

 private:
  void Open();
  // Each tries one way to create new_file_ and reports whether it worked.
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
  uint64_t zeros_ = 0;    // pending, to be written before the next bytes
  absl::Status status_;
};

}  // namespace eyrie

#endif  // EYRIE_BASE_FILE_WRITER_H_
