// The unified diff of two texts.
//
// Tested by line_diff_test.cc.
#ifndef EYRIE_TOOLS_DIFF_LINE_DIFF_H_
#define EYRIE_TOOLS_DIFF_LINE_DIFF_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace eyrie::tools {

// Returns hunks as `diff -u` prints them, without the lines with file names,
// and with three lines of context; "" if the texts are equal. Each line of the
// texts must end with a line break.
//
// Takes work from `budget`, about one unit for each comparison of two lines. If
// too little is left, or the texts differ in very many lines, the result is
// correct but not minimal: the lines from the first difference to the last are
// removed and added.
std::string UnifiedDiff(absl::string_view before, absl::string_view after,
                        int64_t& budget);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DIFF_LINE_DIFF_H_
