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

// Reports whether PlainText leaves the text as it is.
bool IsPlainText(absl::string_view text);

// A name from a file as a part of a sentence: 200 bytes at most.
std::string PlainName(absl::string_view name);

// A path that a person gave, whole: 4096 bytes, what Linux takes, at most.
std::string PlainPath(absl::string_view path);

// JSON text with escapes (\u009b) for the control characters of PlainText that
// JSON lets stand as they are: a terminal would obey them.
std::string EscapeJsonControls(absl::string_view json);

}  // namespace eyrie

#endif  // EYRIE_BASE_PLAIN_TEXT_H_
