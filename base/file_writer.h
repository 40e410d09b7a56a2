// Writes a file piece by piece; it has its name only once it is whole.
//
// Tested by abi/function_io_test.cc, tools/cli_test.py.
#ifndef EYRIE_BASE_FILE_WRITER_H_
#define EYRIE_BASE_FILE_WRITER_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace eyrie {

// Takes bytes in order.
using ByteSink = absl::FunctionRef<absl::Status(std::span<const uint8_t>)>;

// One thread's. A file that is there is replaced by Finish, and untouched
// without it: it may be read meanwhile. Pipes, terminals and devices are
// written as they are.
//
// Until Finish the file has no name, so that nothing is left of it however the
// process ends. Where the file system has no such files (NFS), it is
// PATH.PID.part, which a process that is killed leaves behind.
class FileWriter {
 public:
  explicit FileWriter(std::string path);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();

  // What has gone wrong so far, first of all: NOT_FOUND, PERMISSION_DENIED,
  // INVALID_ARGUMENT (a folder), RESOURCE_EXHAUSTED (a full disk) or INTERNAL,
  // with the path and what the system says. Write and Finish return the same.
  const absl::Status& status() const { return status_; }
  // RESOURCE_EXHAUSTED: a file of `size` bytes finds no room. Before it is
  // written; for pipes and devices, OK.
  absl::Status CheckRoom(uint64_t size);
  // Larger pieces of zeros take no room in a file.
  absl::Status Write(std::span<const uint8_t> bytes);
  absl::Status WriteText(absl::string_view text);
  absl::Status Finish();

 private:
  void Open();
  // False: the file system has no files without a name.
  bool OpenUnnamed();
  void OpenPartial();
  absl::Status Put(std::span<const uint8_t> bytes);
  // Gives an unnamed file its name, or that of its partial one.
  bool Link();
  void Fail(const char* doing);

  std::string path_;
  std::string partial_;   // the file's name until it is whole; or empty
  bool regular_ = false;  // else a pipe, a terminal, a device
  bool unnamed_ = false;
  int descriptor_ = -1;
  uint64_t zeros_ = 0;  // to be written before what comes next
  absl::Status status_;
};

}  // namespace eyrie

#endif  // EYRIE_BASE_FILE_WRITER_H_
