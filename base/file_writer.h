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
class FileWriter {
 public:
  explicit FileWriter(std::string path);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();

  // What has gone wrong so far, first of all: NOT_FOUND, PERMISSION_DENIED,
  // INVALID_ARGUMENT (a folder) or INTERNAL, with the path and what the system
  // says. Write and Finish return the same.
  const absl::Status& status() const { return status_; }
  absl::Status Write(std::span<const uint8_t> bytes);
  absl::Status WriteText(absl::string_view text);
  absl::Status Finish();

 private:
  void Open();
  void Fail(const char* doing);

  std::string path_;
  std::string partial_;  // where the bytes go until they are all; or empty
  int descriptor_ = -1;
  absl::Status status_;
};

}  // namespace eyrie

#endif  // EYRIE_BASE_FILE_WRITER_H_
