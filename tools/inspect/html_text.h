// Texts as parts of HTML.
//
// Tested by report_test.cc.
#ifndef EYRIE_TOOLS_INSPECT_HTML_TEXT_H_
#define EYRIE_TOOLS_INSPECT_HTML_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace eyrie::tools {

// Between elements or in an attribute's quotes. `text` is plain (plain_text.h),
// but for line breaks, which stay.
std::string HtmlText(absl::string_view text);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_HTML_TEXT_H_
