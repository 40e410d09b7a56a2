// Text from a file, fit for a terminal and for a line of its own.
//
// Tested by plain_text_test.cc.
#ifndef EYRIE_BASE_PLAIN_TEXT_H_
#define EYRIE_BASE_PLAIN_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace eyrie {

// Bytes of the UTF-8 sequence that the text begins with; 0: it begins with
// none, or is empty.
size_t Utf8Length(absl::string_view text);

// The text with '?' for each control character (line breaks and what turns the
// direction of text are some) and each byte that is not UTF-8; "..." stands for
// what is beyond `most` bytes.
std::string PlainText(absl::string_view text, size_t most);

}  // namespace eyrie

#endif  // EYRIE_BASE_PLAIN_TEXT_H_
