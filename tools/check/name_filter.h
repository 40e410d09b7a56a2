// Which tests to run, as GoogleTest's filters say it.
//
//   filter   := [patterns] ['-' patterns]     what is to run, but for those
//   patterns := pattern (':' pattern)*        no patterns before '-': all
// '*' stands for any text, '?' for any character. Linear in space; a pattern
// never takes more time than the product of its length and the name's.
// Tested by name_filter_test.cc.
#ifndef EYRIE_TOOLS_CHECK_NAME_FILTER_H_
#define EYRIE_TOOLS_CHECK_NAME_FILTER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace eyrie::tools {

bool MatchesPattern(absl::string_view pattern, absl::string_view name);

class NameFilter {
 public:
  explicit NameFilter(absl::string_view text);

  // A test has several names: a pattern that matches one of them matches it.
  bool Takes(const std::vector<std::string>& names) const;

 private:
  std::vector<std::string> wanted_;
  std::vector<std::string> unwanted_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CHECK_NAME_FILTER_H_
