// Selects tests by filters in GoogleTest's syntax.
//
//   filter   := [patterns] ['-' patterns]     run these, except those
//   patterns := pattern (':' pattern)*        none before '-': all
// base/glob.h says what a pattern matches.
// Tested by name_filter_test.cc.
#ifndef EYRIE_TOOLS_CHECK_NAME_FILTER_H_
#define EYRIE_TOOLS_CHECK_NAME_FILTER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace eyrie::tools {

class NameFilter {
 public:
  explicit NameFilter(absl::string_view text);

  // Reports whether to run a test. A pattern matches the test if it matches any
  // of its names.
  bool Takes(const std::vector<std::string>& names) const;

 private:
  std::vector<std::string> wanted_;
  std::vector<std::string> unwanted_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CHECK_NAME_FILTER_H_
