// Converts pairs of hexadecimal digits to bytes.
//
// Tested by hex_test.cc.
#ifndef EYRIE_BASE_HEX_H_
#define EYRIE_BASE_HEX_H_

#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace eyrie {

// Returns the value of a digit of either case, or -1 for any other character.
inline int HexDigit(char digit) {
  if (!absl::ascii_isxdigit(static_cast<unsigned char>(digit))) return -1;
  return digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
}

// Returns the bytes, or nullopt unless all of the text is pairs of digits.
inline std::optional<std::string> BytesOfHex(absl::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    const int high = HexDigit(digits[i]);
    const int low = HexDigit(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(high << 4 | low));
  }
  return bytes;
}

}  // namespace eyrie

#endif  // EYRIE_BASE_HEX_H_
