#include "abi/native/numbers.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/byte_reader.h"
#include "base/half.h"
#include "base/plain_text.h"

namespace eyrie::native {
namespace {

constexpr size_t kMaxQuoted = 40;

absl::Status NotHeld(absl::string_view text, FfiType type) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", PlainText(text, kMaxQuoted), "' is not a number that ",
                   InfoOf(type).name, " holds."));
}

template <typename T>
void AppendBytes(T value, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename T>
bool AppendInteger(absl::string_view text, std::string& bytes) {
  using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  Wide value;
  if (!absl::SimpleAtoi(text, &value) ||
      value < std::numeric_limits<T>::min() ||
      value > std::numeric_limits<T>::max()) {
    return false;
  }
  AppendBytes(static_cast<T>(value), bytes);
  return true;
}

// A finite number must not become an infinity.
template <typename T>
bool ParseFloat(absl::string_view text, T& value) {
  double wide;
  if (!absl::SimpleAtod(text, &wide)) return false;
  value = static_cast<T>(wide);
  return !std::isinf(value) ||
         absl::StrContains(absl::AsciiStrToLower(text), "inf");
}

template <typename T>
bool AppendFloat(absl::string_view text, std::string& bytes) {
  T value;
  if (!ParseFloat(text, value)) return false;
  AppendBytes(value, bytes);
  return true;
}

bool AppendHalf(absl::string_view text, const FloatFormat& format,
                std::string& bytes) {
  double value;
  if (!ParseFloat(text, value) || !IsInRange(format, value)) return false;
  AppendBytes(EncodeFloat(format, value), bytes);
  return true;
}

template <typename T>
bool AppendComplex(absl::string_view text, std::string& bytes) {
  const size_t comma = text.find(',');
  if (text.size() < 2 || text.front() != '(' || text.back() != ')' ||
      comma == text.npos) {
    return false;
  }
  return AppendFloat<T>(text.substr(1, comma - 1), bytes) &&
         AppendFloat<T>(text.substr(comma + 1, text.size() - comma - 2), bytes);
}

bool AppendBool(absl::string_view text, std::string& bytes) {
  const bool value = text == "true" || text == "1";
  if (!value && text != "false" && text != "0") return false;
  bytes += static_cast<char>(value);
  return true;
}

template <typename T>
T At(absl::string_view bytes, size_t index = 0) {
  return LoadLittleEndian<T>(bytes.data() + index * sizeof(T));
}

// Prints as "%.*g" does. (std::to_chars would add tables of 140 KB, and
// absl::StrFormat cannot be in a shared library.)
void AppendDigits(double number, int digits, std::string& text) {
  char buffer[40];
  const int size =
      std::snprintf(buffer, sizeof(buffer), "%.*g", digits, number);
  text += WithPoint({buffer, static_cast<size_t>(size)});
}

template <typename T>
void AppendPair(absl::string_view bytes, int digits, std::string& text) {
  text += '(';
  AppendDigits(At<T>(bytes), digits, text);
  text += ',';
  AppendDigits(At<T>(bytes, 1), digits, text);
  text += ')';
}

}  // namespace

std::string WithPoint(absl::string_view printed) {
  const size_t point = printed.find_first_not_of("-0123456789");
  // "7", "1e+39", "-inf"
  if (point == printed.npos || absl::ascii_isalpha(printed[point])) {
    return std::string(printed);
  }
  const size_t fraction = printed.find_first_of("0123456789", point);
  return absl::StrCat(printed.substr(0, point), ".", printed.substr(fraction));
}

absl::Status AppendNumber(absl::string_view text, FfiType type,
                          std::string& bytes) {
  const size_t before = bytes.size();
  const auto append = [&] {
    switch (type) {
      case FfiType::kPred:
        return AppendBool(text, bytes);
      case FfiType::kS8:
        return AppendInteger<int8_t>(text, bytes);
      case FfiType::kS16:
        return AppendInteger<int16_t>(text, bytes);
      case FfiType::kS32:
        return AppendInteger<int32_t>(text, bytes);
      case FfiType::kS64:
        return AppendInteger<int64_t>(text, bytes);
      case FfiType::kU8:
        return AppendInteger<uint8_t>(text, bytes);
      case FfiType::kU16:
        return AppendInteger<uint16_t>(text, bytes);
      case FfiType::kU32:
        return AppendInteger<uint32_t>(text, bytes);
      case FfiType::kU64:
        return AppendInteger<uint64_t>(text, bytes);
      case FfiType::kF16:
        return AppendHalf(text, kFloat16, bytes);
      case FfiType::kBF16:
        return AppendHalf(text, kBfloat16, bytes);
      case FfiType::kF32:
        return AppendFloat<float>(text, bytes);
      case FfiType::kF64:
        return AppendFloat<double>(text, bytes);
      case FfiType::kC64:
        return AppendComplex<float>(text, bytes);
      case FfiType::kC128:
        return AppendComplex<double>(text, bytes);
      default:
        return false;
    }
  };
  if (append()) return absl::OkStatus();
  bytes.resize(before);
  return NotHeld(text, type);
}

void AppendNumberText(absl::string_view bytes, FfiType type,
                      std::string& text) {
  switch (type) {
    case FfiType::kPred:
      return absl::StrAppend(&text, At<uint8_t>(bytes) != 0 ? "true" : "false");
    case FfiType::kS8:
      return absl::StrAppend(&text, At<int8_t>(bytes));
    case FfiType::kS16:
      return absl::StrAppend(&text, At<int16_t>(bytes));
    case FfiType::kS32:
      return absl::StrAppend(&text, At<int32_t>(bytes));
    case FfiType::kS64:
      return absl::StrAppend(&text, At<int64_t>(bytes));
    case FfiType::kU8:
      return absl::StrAppend(&text, At<uint8_t>(bytes));
    case FfiType::kU16:
      return absl::StrAppend(&text, At<uint16_t>(bytes));
    case FfiType::kU32:
      return absl::StrAppend(&text, At<uint32_t>(bytes));
    case FfiType::kU64:
      return absl::StrAppend(&text, At<uint64_t>(bytes));
    case FfiType::kF16:
    case FfiType::kBF16: {
      const FloatFormat& format = type == FfiType::kF16 ? kFloat16 : kBfloat16;
      return AppendDigits(DecodeFloat(format, At<uint16_t>(bytes)), 9, text);
    }
    case FfiType::kF32:
      return AppendDigits(At<float>(bytes), 9, text);
    case FfiType::kF64:
      return AppendDigits(At<double>(bytes), 17, text);
    case FfiType::kC64:
      return AppendPair<float>(bytes, 9, text);
    case FfiType::kC128:
      return AppendPair<double>(bytes, 17, text);
    default:
      return;
  }
}

}  // namespace eyrie::native
