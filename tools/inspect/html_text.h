// Escapes text for HTML.
//
// Tested by report_test.cc.
#ifndef EYRIE_TOOLS_INSPECT_HTML_TEXT_H_
#define EYRIE_TOOLS_INSPECT_HTML_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace eyrie::tools {

// Escapes text for use between elements or in a quoted attribute. `text` must
// be plain (plain_text.h), except that it may have line breaks, which are kept.
std::string HtmlText(absl::string_view text);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_HTML_TEXT_H_
