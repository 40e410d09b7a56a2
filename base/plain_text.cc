#include "base/plain_text.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace eyrie {
namespace {

// Reports whether a sequence is a control character: below U+0020, U+007F,
// U+0080 to U+009F (some terminals interpret them), or one that breaks lines or
// changes the direction of text: U+061C, U+200E, U+200F, U+2028 to U+202E,
// U+2066 to U+2069.
bool IsControl(absl::string_view sequence) {
  if (sequence.size() == 1) return absl::ascii_iscntrl(sequence[0]);
  const auto last = static_cast<uint8_t>(sequence.back());
  if (sequence.size() == 2) {
    return sequence[0] == '\xC2' ? last < 0xA0 : sequence == "\xD8\x9C";
  }
  if (absl::StartsWith(sequence, "\xE2\x80")) {
    return last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE);
  }
  return absl::StartsWith(sequence, "\xE2\x81") && last >= 0xA6 && last <= 0xA9;
}

// Returns the number of printable ASCII characters at the start of the text.
size_t PrintableLength(absl::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), [](char c) {
    return absl::ascii_isprint(static_cast<unsigned char>(c));
  });
  return static_cast<size_t>(end - text.begin());
}

// Decodes a sequence of at most three bytes, enough for control characters.
uint32_t CodePoint(absl::string_view sequence) {
  uint32_t point = static_cast<uint8_t>(sequence[0]);
  if (sequence.size() > 1) point &= 0x3F >> (sequence.size() - 1);
  for (const char c : sequence.substr(1)) {
    point = point << 6 | (static_cast<uint8_t>(c) & 0x3F);
  }
  return point;
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
      absl::StrAppend(&escaped, "\\u",
                      absl::Hex(CodePoint(sequence), absl::kZeroPad4));
    }
    json.remove_prefix(length);
  }
}

}  // namespace eyrie
