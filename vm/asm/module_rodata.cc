// The contents of constants: bytes, text, numbers, or a file.
#include "absl/strings/str_cat.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "vm/asm/module_parser.h"

namespace eyrie::vm {
namespace {

// Parses pairs of hexadecimal digits, with any blanks between pairs.
absl::StatusOr<std::vector<uint8_t>> TakeHex(TextCursor& in) {
  std::vector<uint8_t> bytes;
  while (!in.AtEnd()) {
    const size_t at = in.position();
    const absl::string_view word = in.TakeWord();
    if (word.size() % 2 != 0) {
      return in.ErrorAt(
          at, absl::StrCat(word.size(), " digits do not fill whole bytes."));
    }
    bytes.reserve(bytes.size() + word.size() / 2);
    for (size_t i = 0; i < word.size(); i += 2) {
      const int high = HexDigit(word[i]);
      const int low = HexDigit(word[i + 1]);
      if (high < 0 || low < 0) {
        return in.ErrorAt(at + (high < 0 ? i : i + 1),
                          "Expected a hexadecimal digit.");
      }
      bytes.push_back(static_cast<uint8_t>(high << 4 | low));
    }
  }
  return bytes;
}

// Parses "[1, 2, 3]", numbers of `width` bits each.
absl::StatusOr<std::vector<uint8_t>> TakeNumbers(TextCursor& in, bool is_float,
                                                 int width) {
  std::vector<uint8_t> bytes;
  RETURN_IF_ERROR(in.Expect("["));
  if (in.Accept("]")) return bytes;
  do {
    uint64_t bits = 0;
    if (is_float) {
      ASSIGN_OR_RETURN(bits, in.TakeFloat(width));
    } else {
      ASSIGN_OR_RETURN(bits, in.TakeInteger(width));
    }
    for (int shift = 0; shift < width; shift += 8) {
      bytes.push_back(static_cast<uint8_t>(bits >> shift));
    }
  } while (in.Accept(","));
  RETURN_IF_ERROR(in.Expect("]"));
  return bytes;
}

}  // namespace

absl::StatusOr<std::vector<uint8_t>> ModuleParser::TakeContents(
    TextCursor& in) {
  constexpr struct {
    const char* word;
    bool is_float;
    int width;
  } kTypes[] = {{"i8", false, 8},   {"i16", false, 16}, {"i32", false, 32},
                {"i64", false, 64}, {"f32", true, 32},  {"f64", true, 64}};
  for (const auto& type : kTypes) {
    if (in.Accept(type.word)) return TakeNumbers(in, type.is_float, type.width);
  }
  in.SkipBlanks();
  const size_t at = in.position();
  if (in.Accept("file")) {
    ASSIGN_OR_RETURN(const std::string name, in.TakeQuoted());
    if (!options_.read_file) {
      return in.ErrorAt(at, "Files cannot be read here.");
    }
    auto bytes = options_.read_file(name);
    if (!bytes.ok()) return in.ErrorAt(at, bytes.status().message());
    return bytes;
  }
  TextCursor ahead = in;
  if (in.Peek() == '"' || ahead.Accept("e\"")) {
    ASSIGN_OR_RETURN(const std::string text, in.TakeQuoted());
    return std::vector<uint8_t>(text.begin(), text.end());
  }
  return TakeHex(in);
}

}  // namespace eyrie::vm
