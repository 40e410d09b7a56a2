// The inputs of `eyrie run --batch`: the lines of a file or of standard input,
// or the files of a folder.
//
// Tested by cli_test.txt.
#ifndef EYRIE_TOOLS_BATCH_SOURCE_H_
#define EYRIE_TOOLS_BATCH_SOURCE_H_

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace eyrie::tools {

// The arguments of one call.
struct BatchInput {
  std::string json;  // an array or an object
  std::string path;  // or an array's file, .npy or .npz
  std::string name;  // of the file in a folder; "" for a line
};

// Not thread-safe.
class BatchSource {
 public:
  // Opens a file of JSON lines, a folder or, for "-", standard input. Of a
  // folder and its subfolders, the files *.json, *.npy and *.npz are read,
  // sorted by name.
  // NOT_FOUND: it cannot be opened, or the folder has no such file.
  static absl::StatusOr<BatchSource> Open(const std::string& path);

  // Reads the next input; empty lines are skipped. Returns false at the end.
  // RESOURCE_EXHAUSTED: a line or a JSON file exceeds kMaxBatchLine bytes.
  absl::StatusOr<bool> Next(BatchInput& input);

  // The number of files, or 0 if inputs are lines.
  size_t file_count() const { return files_.size(); }

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const;
  };
  absl::StatusOr<bool> NextLine(std::string& line);

  std::unique_ptr<std::FILE, CloseFile> lines_;  // null for a folder
  std::string folder_;                           // ends with '/'
  std::vector<std::string> files_;
  size_t next_ = 0;  // of the files, or the number of lines read
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BATCH_SOURCE_H_
