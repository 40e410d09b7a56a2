// Reads the parts of a line of assembly.
#include "vm/asm/cursor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/hex.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::vm {
namespace {

constexpr size_t kShownColumns = 100;
constexpr size_t kMaxSentence = 1000;  // bytes; it may contain long names

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Returns the position after the closing quote of the text whose opening quote
// is at `at`, or npos.
size_t QuoteEnd(absl::string_view text, size_t at) {
  const bool escapes =
      at > 0 && text[at - 1] == 'e' && (at == 1 || !IsNameChar(text[at - 2]));
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (escapes && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return absl::string_view::npos;
}

// Returns where a comment begins, or the end of the text.
size_t CommentBegin(absl::string_view text, size_t from) {
  for (size_t i = from; i < text.size(); ++i) {
    if (text[i] == '"') {
      const size_t end = QuoteEnd(text, i);
      if (end == absl::string_view::npos) return text.size();
      i = end - 1;
    } else if (text[i] == '#' || text.substr(i, 2) == "//") {
      return i;
    }
  }
  return text.size();
}

// Reports whether the character needs no escape in quoted text with escapes.
bool StandsInEscapes(char c) {
  return absl::ascii_isprint(c) && c != '"' && c != '\\';
}

void AppendEscaped(char c, std::string& to) {
  if (c == '"' || c == '\\') {
    to += {'\\', c};
  } else if (c == '\n') {
    to += "\\n";
  } else {
    absl::StrAppend(&to, "\\x",
                    absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
  }
}

// Returns the quiet bit of a NaN; the bits below it are its payload.
uint64_t QuietBit(int bits) { return uint64_t{1} << (bits == 32 ? 22 : 51); }

// The character that the escape at the start of `text` means, and its length.
struct Escape {
  char character;
  size_t length;
};
std::optional<Escape> ReadEscape(absl::string_view text) {
  if (text.size() < 2) return std::nullopt;
  switch (text[1]) {
    case '"':
    case '\\':
      return Escape{text[1], 2};
    case 'n':
      return Escape{'\n', 2};
    case 'r':
      return Escape{'\r', 2};
    case 't':
      return Escape{'\t', 2};
    case 'x': {
      if (text.size() < 4) return std::nullopt;
      const int high = HexDigit(text[2]);
      const int low = HexDigit(text[3]);
      if (high < 0 || low < 0) return std::nullopt;
      return Escape{static_cast<char>(high << 4 | low), 4};
    }
    default:
      return std::nullopt;
  }
}

// Returns the value of a number as C writes it: decimal, 0x1F, or octal after a
// 0. Nullopt if it is not one, or exceeds 64 bits.
std::optional<uint64_t> NumberOf(absl::string_view text) {
  const bool hex = text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X";
  uint64_t value = 0;
  if (hex) {
    return absl::SimpleHexAtoi(text, &value) ? std::optional(value)
                                             : std::nullopt;
  }
  const int base = text.substr(0, 1) == "0" ? 8 : 10;
  for (const char c : text) {
    if (c < '0' || c >= '0' + base) return std::nullopt;
    const auto digit = static_cast<uint64_t>(c - '0');
    if (value > (UINT64_MAX - digit) / base) return std::nullopt;
    value = value * base + digit;
  }
  return text.empty() ? std::nullopt : std::optional(value);
}

// Reports whether a text that is not a number of 64 bits is a larger one.
bool IsLargeNumber(absl::string_view text) {
  const bool hex = text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X";
  if (hex) text.remove_prefix(2);
  const char last = !hex && text.substr(0, 1) == "0" ? '7' : '9';
  return !text.empty() && std::all_of(text.begin(), text.end(), [=](char c) {
    return hex ? absl::ascii_isxdigit(c) : c >= '0' && c <= last;
  });
}

bool IsTypeChar(char c) {
  return IsNameChar(c) || c == '!' || c == '?' || c == '*';
}

// Returns the number of characters of a text, which need not be valid UTF-8.
size_t Columns(absl::string_view text) {
  return text.size() -
         std::count_if(text.begin(), text.end(), IsUtf8Continuation);
}

// Returns a part of a line for a message, with control characters as blanks.
std::string Shown(absl::string_view part) {
  std::string shown(part);
  for (char& c : shown) {
    if (absl::ascii_iscntrl(c)) c = ' ';
  }
  return PlainText(shown, shown.size());
}

// Returns the length of the type at the start of `text`; npos if a '>' is
// missing.
size_t TypeLength(absl::string_view text) {
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') {
      ++depth;
    } else if (text[i] == '>' && depth > 0) {
      if (--depth == 0) return i + 1;
    } else if (!IsTypeChar(text[i]) && (depth == 0 || text[i] == '"')) {
      return depth == 0 ? i : absl::string_view::npos;
    }
  }
  return depth == 0 ? text.size() : absl::string_view::npos;
}

}  // namespace

bool IsNameChar(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '$' || c == '.';
}

absl::Status SourceLine::Error(size_t at, absl::string_view sentence) const {
  at = std::min(at, text.size());
  // Shows the part of a long line around the position.
  size_t begin = at > kShownColumns / 2 && text.size() > kShownColumns
                     ? at - kShownColumns / 2
                     : 0;
  while (begin < at && IsUtf8Continuation(text[begin])) ++begin;
  size_t end = std::min(begin + kShownColumns, text.size());
  while (end > at && end < text.size() && IsUtf8Continuation(text[end])) --end;
  std::string shown = Shown(text.substr(begin, end - begin));
  while (!shown.empty() && shown.back() == ' ') shown.pop_back();
  const size_t columns = Columns(Shown(text.substr(begin, at - begin)));
  return absl::InvalidArgumentError(
      absl::StrCat(file, ":", number, ":", Columns(text.substr(0, at)) + 1,
                   ": ", PlainText(sentence, kMaxSentence), "\n  ", shown,
                   "\n  ", std::string(columns, ' '), "^"));
}

LineParts SplitLine(absl::string_view text) {
  const size_t comment = CommentBegin(text, 0);
  if (text.substr(comment, 3) != "//!") {
    return {comment, absl::string_view::npos, text.size()};
  }
  return {comment, comment + 3, CommentBegin(text, comment + 3)};
}

void TextCursor::SkipBlanks() {
  while (at_ < end_ && IsBlank(line_->text[at_])) ++at_;
}

bool TextCursor::AtEnd() {
  SkipBlanks();
  return at_ == end_;
}

char TextCursor::Peek() {
  SkipBlanks();
  return at_ < end_ ? line_->text[at_] : '\0';
}

bool TextCursor::Accept(absl::string_view text) {
  const size_t before = at_;
  SkipBlanks();
  if (AcceptHere(text)) return true;
  at_ = before;
  return false;
}

bool TextCursor::AcceptHere(absl::string_view text) {
  if (!absl::StartsWith(rest(), text)) return false;
  const absl::string_view after = rest().substr(text.size());
  if (!after.empty() && IsNameChar(text.back()) && IsNameChar(after[0])) {
    return false;
  }
  at_ += text.size();
  return true;
}

absl::Status TextCursor::Expect(absl::string_view text) {
  if (Accept(text)) return absl::OkStatus();
  SkipBlanks();
  return Error(absl::StrCat("Expected '", text, "'."));
}

bool TextCursor::AcceptNext() {
  if (!Accept(",")) return false;
  const char next = Peek();
  return next != '\0' && next != ')' && next != ']' && next != '}';
}

absl::Status TextCursor::ExpectEnd() {
  if (AtEnd()) return absl::OkStatus();
  return Error("Expected the end of the line.");
}

absl::string_view TextCursor::TakeName() {
  SkipBlanks();
  const size_t begin = at_;
  while (at_ < end_ && IsNameChar(line_->text[at_])) ++at_;
  return line_->text.substr(begin, at_ - begin);
}

absl::string_view TextCursor::TakeWord() {
  SkipBlanks();
  const size_t begin = at_;
  while (at_ < end_ && !IsBlank(line_->text[at_])) ++at_;
  return line_->text.substr(begin, at_ - begin);
}

absl::string_view TextCursor::TakeRest() {
  const absl::string_view text = absl::StripAsciiWhitespace(rest());
  at_ = end_;
  return text;
}

absl::StatusOr<uint32_t> TextCursor::TakeU32(absl::string_view what) {
  SkipBlanks();
  const size_t begin = at_;
  while (at_ < end_ && absl::ascii_isalnum(line_->text[at_])) ++at_;
  const absl::string_view digits = line_->text.substr(begin, at_ - begin);
  const std::optional<uint64_t> value = NumberOf(digits);
  if (value.has_value() && *value <= UINT32_MAX) {
    return static_cast<uint32_t>(*value);
  }
  at_ = begin;
  return Error(value.has_value() || IsLargeNumber(digits)
                   ? absl::StrCat("The number ", digits, " for ", what,
                                  " exceeds 32 bits.")
                   : absl::StrCat("Expected ", what, "."));
}

bool TextCursor::TakeSign() {
  const bool negative = Accept("-");
  if (!negative) Accept("+");
  return negative;
}

absl::StatusOr<uint64_t> TextCursor::TakeInteger(int bits) {
  SkipBlanks();
  const size_t begin = at_;
  const bool negative = TakeSign();
  const absl::string_view digits = TakeName();
  const std::optional<uint64_t> number = NumberOf(digits);
  if (!number.has_value()) {
    return ErrorAt(
        begin, IsLargeNumber(digits)
                   ? absl::StrCat("The number ", negative ? "-" : "", digits,
                                  " exceeds ", bits, " bits.")
                   : absl::StrCat("Expected an integer of ", bits, " bits."));
  }
  uint64_t value = *number;
  const uint64_t half = uint64_t{1} << (bits - 1);
  if (value > (negative ? half : half + (half - 1))) {
    return ErrorAt(begin, absl::StrCat("The number ", negative ? "-" : "",
                                       digits, " exceeds ", bits, " bits."));
  }
  if (negative) value = uint64_t{0} - value;
  return bits == 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

absl::StatusOr<uint64_t> TextCursor::TakeNan(bool negative, int bits) {
  const bool quiet = !Accept("snan");
  if (quiet) RETURN_IF_ERROR(Expect("nan"));
  uint64_t payload = 0;
  if (Accept("(") && !Accept(")")) {
    const size_t begin = at_;
    if (!absl::SimpleHexAtoi(TakeName(), &payload) ||
        payload >= QuietBit(bits)) {
      return ErrorAt(begin, "Expected a NaN's payload, as in nan(0x1).");
    }
    RETURN_IF_ERROR(Expect(")"));
  }
  if (!quiet && payload == 0) return Error("The payload of snan is not zero.");
  const uint64_t exponent = bits == 32 ? 0x7F800000 : 0x7FF0000000000000;
  const uint64_t sign = uint64_t{negative} << (bits - 1);
  return sign | exponent | (quiet ? QuietBit(bits) : 0) | payload;
}

absl::StatusOr<uint64_t> TextCursor::TakeFloat(int bits) {
  SkipBlanks();
  const size_t begin = at_;
  const bool negative = TakeSign();
  absl::string_view text = rest();
  if (text.substr(0, 3) == "nan" || text.substr(0, 4) == "snan") {
    return TakeNan(negative, bits);
  }
  const bool hex = text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X";
  if (hex) text.remove_prefix(2);
  double wide = 0;
  float narrow = 0;
  const auto format =
      hex ? absl::chars_format::hex : absl::chars_format::general;
  const auto read = [&](auto& value) {
    return absl::from_chars(text.data(), text.data() + text.size(), value,
                            format);
  };
  const auto result = bits == 32 ? read(narrow) : read(wide);
  const bool too_large = std::isinf(bits == 32 ? narrow : wide) ||
                         std::abs(bits == 32 ? narrow : wide) > 1;
  const bool signs = !text.empty() && (text[0] == '-' || text[0] == '+');
  if (result.ec == std::errc::invalid_argument || signs) {
    return ErrorAt(begin, absl::StrCat("Expected an f", bits, "."));
  }
  at_ = result.ptr - line_->text.data();
  if (result.ec == std::errc::result_out_of_range && too_large) {
    return ErrorAt(begin, absl::StrCat("The number exceeds f", bits, "."));
  }
  if (at_ < end_ && IsNameChar(line_->text[at_])) {
    return ErrorAt(begin, absl::StrCat("Expected an f", bits, "."));
  }
  const uint64_t sign = uint64_t{negative} << (bits - 1);
  return sign | (bits == 32 ? std::bit_cast<uint32_t>(narrow)
                            : std::bit_cast<uint64_t>(wide));
}

absl::StatusOr<std::string> TextCursor::TakeQuoted() {
  SkipBlanks();
  const size_t begin = at_;
  const bool escapes = rest().substr(0, 2) == "e\"";
  const size_t quote = begin + (escapes ? 1 : 0);
  if (quote >= end_ || line_->text[quote] != '"') {
    return Error("Expected text in quotes.");
  }
  const size_t after = QuoteEnd(line_->text.substr(0, end_), quote);
  if (after == absl::string_view::npos) {
    return Error("The text's closing quote is missing.");
  }
  absl::string_view body = line_->text.substr(quote + 1, after - quote - 2);
  at_ = after;
  if (!escapes) return std::string(body);
  std::string text;
  while (!body.empty()) {
    size_t length = 1;
    char character = body[0];
    if (character == '\\') {
      const std::optional<Escape> escape = ReadEscape(body);
      if (!escape) {
        return ErrorAt(
            body.data() - line_->text.data(),
            "Unknown escape; expected one of \\\" \\\\ \\n \\r \\t \\xHH.");
      }
      character = escape->character;
      length = escape->length;
    }
    text.push_back(character);
    body.remove_prefix(length);
  }
  return text;
}

absl::StatusOr<std::string> TextCursor::TakeSymbol() {
  if (!Accept("@")) {
    SkipBlanks();
    return Error("Expected a name that begins with '@'.");
  }
  if (at_ < end_ && (line_->text[at_] == '"' || rest().substr(0, 2) == "e\"")) {
    return TakeQuoted();
  }
  const size_t begin = at_;
  while (at_ < end_ && IsNameChar(line_->text[at_])) ++at_;
  if (at_ == begin) return Error("Expected a name after '@'.");
  return std::string(line_->text.substr(begin, at_ - begin));
}

absl::StatusOr<std::string> TextCursor::TakeType() {
  SkipBlanks();
  if (Peek() == '"' || rest().substr(0, 2) == "e\"") return TakeQuoted();
  const size_t length = TypeLength(rest());
  if (length == 0) return Error("Expected a type.");
  if (length == absl::string_view::npos) {
    return Error("The type's closing '>' is missing.");
  }
  at_ += length;
  return std::string(line_->text.substr(at_ - length, length));
}

std::string QuoteText(absl::string_view text) {
  // Control characters, which a terminal would interpret, are escaped.
  if (!absl::StrContains(text, '"') && IsPlainText(text)) {
    return absl::StrCat("\"", text, "\"");
  }
  std::string quoted = "e\"";
  while (!text.empty()) {
    const auto end =
        std::find_if_not(text.begin(), text.end(), StandsInEscapes);
    quoted.append(text.begin(), end);
    text.remove_prefix(static_cast<size_t>(end - text.begin()));
    if (text.empty()) break;
    AppendEscaped(text[0], quoted);
    text.remove_prefix(1);
  }
  return quoted + '"';
}

std::string SymbolText(absl::string_view name) {
  const bool bare =
      !name.empty() && std::all_of(name.begin(), name.end(), IsNameChar);
  return absl::StrCat("@", bare ? std::string(name) : QuoteText(name));
}

std::string PublicSymbolText(absl::string_view name) {
  return IsPlainText(name) ? absl::StrCat("@", name) : SymbolText(name);
}

std::string TypeText(absl::string_view name) {
  const bool bare = !name.empty() && TypeLength(name) == name.size() &&
                    absl::StripAsciiWhitespace(name) == name &&
                    std::all_of(name.begin(), name.end(), [](char c) {
                      return absl::ascii_isprint(c) && c != '#' && c != '/';
                    });
  return bare ? std::string(name) : QuoteText(name);
}

std::string FloatText(uint64_t bits, int width) {
  const double value = width == 32
                           ? std::bit_cast<float>(static_cast<uint32_t>(bits))
                           : std::bit_cast<double>(bits);
  if (!std::isnan(value)) {
    return absl::StrFormat("%.*g", width == 32 ? 9 : 17, value);
  }
  const uint64_t payload = bits & (QuietBit(width) - 1);
  const bool quiet = (bits & QuietBit(width)) != 0;
  return absl::StrCat(
      (bits >> (width - 1)) & 1 ? "-" : "", quiet ? "nan" : "snan",
      payload == 0 ? std::string()
                   : absl::StrCat("(0x", absl::Hex(payload), ")"));
}

}  // namespace eyrie::vm
