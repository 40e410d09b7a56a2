// Makes text from a file safe to print on a terminal, in one line or in lines
// of a message.
//
// Tested by plain_text_test.cc.
#ifndef EYRIE_BASE_PLAIN_TEXT_H_
#define EYRIE_BASE_PLAIN_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace eyrie {

// Reports whether a byte continues a UTF-8 sequence, that is, does not begin
// one.
inline bool IsUtf8Continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Returns the length in bytes of the UTF-8 sequence at the start of the text,
// or 0 if there is none.
size_t Utf8Length(absl::string_view text);

// Returns the text with '?' for each control character and each byte that is
// not UTF-8. Line breaks and marks that change the direction of text count as
// control characters. Replaces the text beyond `most` bytes by "...".
std::string PlainText(absl::string_view text, size_t most);

// Reports whether PlainText leaves the text as it is.
bool IsPlainText(absl::string_view text);

// Returns a text of native code or of a module as lines of a message, each as
// PlainText: the next ones begin with two spaces, and blank ones are left out.
// Replaces the text beyond `most` bytes by "...".
std::string MessageLines(absl::string_view text, size_t most);

// Returns a message with '?' as in PlainText, but keeps line breaks before two
// spaces, which begin lines of MessageLines and backtraces. Cuts each line at
// `most` bytes.
std::string PlainLines(absl::string_view message, size_t most);

// Returns a name from a file, for use in a sentence, cut at 200 bytes.
std::string PlainName(absl::string_view name);

// Returns a name from a file with C escapes (\n, \x1b) for quotes, backslashes
// and all that PlainText replaces, so that different names remain different.
std::string EscapedName(absl::string_view name);

// Returns a path that a user gave, cut at 4096 bytes, Linux's limit for paths.
std::string PlainPath(absl::string_view path);

// Returns JSON text with escapes (\u009b) for those control characters of
// PlainText that JSON allows unescaped. A terminal would interpret them.
std::string EscapeJsonControls(absl::string_view json);

}  // namespace eyrie

#endif  // EYRIE_BASE_PLAIN_TEXT_H_
