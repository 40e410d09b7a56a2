// Formats a count with its noun, for use in a sentence.
//
// Tested by plain_text_test.cc.
#ifndef EYRIE_BASE_COUNTED_H_
#define EYRIE_BASE_COUNTED_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace eyrie {

// Returns "1 test", "2 tests" or "0 tests" for `what` "test".
inline std::string Counted(uint64_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

}  // namespace eyrie

#endif  // EYRIE_BASE_COUNTED_H_
