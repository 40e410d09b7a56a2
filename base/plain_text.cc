#include "base/plain_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace eyrie {
namespace {

// Decodes one UTF-8 sequence.
uint32_t CodePoint(absl::string_view sequence) {
  uint32_t point = static_cast<uint8_t>(sequence[0]);
  if (sequence.size() > 1) point &= 0x3F >> (sequence.size() - 1);
  for (const char c : sequence.substr(1)) {
    point = point << 6 | (static_cast<uint8_t>(c) & 0x3F);
  }
  return point;
}

// Characters that a terminal interprets, that break lines, that change the
// direction of text, or that cannot be seen: with them a name could look like
// another. Joiners (U+200C, U+200D) are not here, because some languages need
// them.
constexpr struct {
  uint32_t first, last;
} kControls[] = {
    {0x00, 0x1F},        // C0
    {0x7F, 0x9F},        // DEL and C1
    {0xAD, 0xAD},        // soft hyphen
    {0x61C, 0x61C},      // Arabic letter mark
    {0x180E, 0x180E},    // Mongolian vowel separator
    {0x200B, 0x200B},    // space without width
    {0x200E, 0x200F},    // marks of direction
    {0x2028, 0x202E},    // separators, embeddings
    {0x2060, 0x206F},    // joiner of words, invisible operators, isolates
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFF9, 0xFFFB},    // annotations
    {0xE0000, 0xE007F},  // tags
};

bool IsControl(absl::string_view sequence) {
  const uint32_t point = CodePoint(sequence);
  return std::any_of(std::begin(kControls), std::end(kControls),
                     [point](const auto& row) {
                       return row.first <= point && point <= row.last;
                     });
}

// Returns the number of printable ASCII characters at the start of the text.
size_t PrintableLength(absl::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), [](char c) {
    return absl::ascii_isprint(static_cast<unsigned char>(c));
  });
  return static_cast<size_t>(end - text.begin());
}

// Appends a character as JSON writes it: two units of UTF-16 if one is not
// enough.
void AppendJsonEscape(uint32_t point, std::string& out) {
  if (point > 0xFFFF) {
    AppendJsonEscape(0xD7C0 + (point >> 10), out);
    point = 0xDC00 | (point & 0x3FF);
  }
  absl::StrAppend(&out, "\\u", absl::Hex(point, absl::kZeroPad4));
}

}  // namespace

size_t Utf8Length(absl::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<uint8_t>(text[0]);
  const size_t length = first < 0x80                    ? 1
                        : first >= 0xC2 && first < 0xE0 ? 2
                        : first >= 0xE0 && first < 0xF0 ? 3
                        : first >= 0xF0 && first < 0xF5 ? 4
                                                        : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!IsUtf8Continuation(text[i])) return 0;
  }
  const auto second = length > 1 ? static_cast<uint8_t>(text[1]) : 0;
  // Overlong forms, surrogates, and numbers beyond Unicode.
  if (first == 0xE0 && second < 0xA0) return 0;
  if (first == 0xED && second >= 0xA0) return 0;
  if (first == 0xF0 && second < 0x90) return 0;
  if (first == 0xF4 && second >= 0x90) return 0;
  return length;
}

std::string PlainText(absl::string_view text, size_t most) {
  std::string plain;
  while (true) {
    const size_t printable =
        PrintableLength(text.substr(0, most - plain.size()));
    plain.append(text.data(), printable);
    text.remove_prefix(printable);
    if (text.empty()) return plain;
    const size_t length = Utf8Length(text);
    const absl::string_view sequence = text.substr(0, length == 0 ? 1 : length);
    const bool shown = length != 0 && !IsControl(sequence);
    const absl::string_view next = shown ? sequence : absl::string_view("?");
    if (plain.size() + next.size() > most) return plain + "...";
    absl::StrAppend(&plain, next);
    text.remove_prefix(sequence.size());
  }
}

bool IsPlainText(absl::string_view text) {
  while (true) {
    text.remove_prefix(PrintableLength(text));
    if (text.empty()) return true;
    const size_t length = Utf8Length(text);
    if (length == 0 || IsControl(text.substr(0, length))) return false;
    text.remove_prefix(length);
  }
}

std::string MessageLines(absl::string_view text, size_t most) {
  size_t end = std::min(text.size(), most);
  while (end > 0 && end < text.size() && IsUtf8Continuation(text[end])) --end;
  std::string lines;
  for (const absl::string_view line :
       absl::StrSplit(text.substr(0, end), absl::ByAnyChar("\r\n"),
                      absl::SkipWhitespace())) {
    absl::StrAppend(&lines, lines.empty() ? "" : "\n  ",
                    PlainText(line, line.size()));
  }
  return lines + (end < text.size() ? "..." : "");
}

std::string PlainLines(absl::string_view message, size_t most) {
  std::string lines;
  size_t begin = 0;
  for (size_t end = 0; end != message.npos; begin = end + 1) {
    end = message.find("\n  ", begin);
    absl::StrAppend(&lines, begin == 0 ? "" : "\n",
                    PlainText(message.substr(begin, end - begin), most));
  }
  return lines;
}

std::string PlainName(absl::string_view name) {
  constexpr size_t kMax = 200;
  return PlainText(name, kMax);
}

std::string EscapedName(absl::string_view name) {
  std::string escaped;
  size_t begin = 0;  // of the text that CHexEscape gets
  for (size_t at = 0; at < name.size();) {
    const size_t length = Utf8Length(name.substr(at));
    const absl::string_view sequence =
        name.substr(at, std::max<size_t>(length, 1));
    at += sequence.size();
    if (length < 2 || IsControl(sequence)) continue;
    absl::StrAppend(&escaped,
                    absl::CHexEscape(name.substr(begin, at - length - begin)),
                    sequence);
    begin = at;
  }
  return absl::StrCat(escaped, absl::CHexEscape(name.substr(begin)));
}

std::string PlainPath(absl::string_view path) {
  constexpr size_t kMax = 4096;
  return PlainText(path, kMax);
}

std::string EscapeJsonControls(absl::string_view json) {
  std::string escaped;
  escaped.reserve(json.size());
  while (true) {
    const size_t printable = PrintableLength(json);
    escaped.append(json.data(), printable);
    json.remove_prefix(printable);
    if (json.empty()) return escaped;
    const size_t length = std::max<size_t>(Utf8Length(json), 1);
    const absl::string_view sequence = json.substr(0, length);
    // JSON escapes control characters of one byte itself, except DEL.
    const bool stands = length == 1 && sequence[0] != '\x7F';
    if (stands || !IsControl(sequence)) {
      absl::StrAppend(&escaped, sequence);
    } else {
      AppendJsonEscape(CodePoint(sequence), escaped);
    }
    json.remove_prefix(length);
  }
}

}  // namespace eyrie
