// The folder of the files that compilers make.
//
// Tested by tune/tune_test.txt.
#ifndef EYRIE_TOOLS_COMPILER_RESULT_FOLDER_H_
#define EYRIE_TOOLS_COMPILER_RESULT_FOLDER_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace eyrie::tools {

class ResultFolder {
 public:
  // Creates the folder with its parents. If `path` is "", creates a folder in
  // TMPDIR or /tmp that the destructor removes with its files. Errors have the
  // code of SystemError().
  static absl::StatusOr<ResultFolder> Create(const std::string& path);

  ResultFolder(ResultFolder&& other) noexcept
      : path_(std::move(other.path_)),
        is_temporary_(std::exchange(other.is_temporary_, false)) {}
  ResultFolder& operator=(ResultFolder&&) = delete;
  ~ResultFolder();

  const std::string& path() const { return path_; }

 private:
  ResultFolder(std::string path, bool is_temporary)
      : path_(std::move(path)), is_temporary_(is_temporary) {}

  std::string path_;
  bool is_temporary_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_COMPILER_RESULT_FOLDER_H_
