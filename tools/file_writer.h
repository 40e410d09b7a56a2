// Writes a file piece by piece; it has its name only once it is whole.
//
// Tested by cli_test.py.
#ifndef EYRIE_TOOLS_FILE_WRITER_H_
#define EYRIE_TOOLS_FILE_WRITER_H_

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

#include "absl/status/status.h"

namespace eyrie::tools {

// One thread's. A file that is there is replaced by Finish, and untouched
// without it: it may be read meanwhile. "-" is standard output.
class FileWriter {
 public:
  explicit FileWriter(std::string path);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();

  // Both: DATA_LOSS if the system refuses.
  absl::Status Write(std::span<const uint8_t> bytes);
  absl::Status Finish();

 private:
  absl::Status Failure() const;

  std::string path_;
  std::string partial_;  // where the bytes go; empty for standard output
  std::FILE* file_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_FILE_WRITER_H_
