// Joins pieces of text, and passes on each line.
//
// Tested by kernel_times_test.cc, inspect_test.txt.
#ifndef EYRIE_TOOLS_INSPECT_LINES_H_
#define EYRIE_TOOLS_INSPECT_LINES_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace eyrie::tools {

class Lines {
 public:
  // `take` receives each line without its line feed. It must outlive this.
  explicit Lines(absl::FunctionRef<void(absl::string_view line)> take)
      : take_(take) {}

  void Add(absl::string_view piece) {
    for (size_t end; (end = piece.find('\n')) != piece.npos;) {
      absl::StrAppend(&begun_, piece.substr(0, end));
      take_(begun_);
      begun_.clear();
      piece.remove_prefix(end + 1);
    }
    absl::StrAppend(&begun_, piece);
  }

 private:
  absl::FunctionRef<void(absl::string_view line)> take_;
  std::string begun_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_LINES_H_
