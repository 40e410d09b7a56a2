#include "tools/inspect/html_text.h"

#include "absl/strings/str_replace.h"

namespace eyrie::tools {

std::string HtmlText(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"},
                                    {"<", "&lt;"},
                                    {">", "&gt;"},
                                    {"\"", "&quot;"},
                                    {"'", "&#39;"}});
}

}  // namespace eyrie::tools
