#include "abi/tensor/tensor_text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/half.h"
#include "base/hex.h"
#include "base/status_macros.h"

namespace eyrie::abi {
namespace {

using hal::ElementType;

template <typename T>
void Store(T value, std::span<uint8_t> target) {
  std::memcpy(target.data(), &value, sizeof(T));
}

absl::Status NotANumber(absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "' is not a number"));
}

// Parses a number in the C library's notation. It must take up the whole text.
template <typename T, T (*kConvert)(const char*, char**)>
std::optional<T> ParseFloat(absl::string_view text) {
  char copy[128];
  if (text.empty() || text.size() >= sizeof(copy)) return std::nullopt;
  if (absl::ascii_isspace(text[0])) return std::nullopt;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  char* end = nullptr;
  const T value = kConvert(copy, &end);
  if (end != copy + text.size()) return std::nullopt;
  return value;
}
constexpr auto ParseF32 = ParseFloat<float, std::strtof>;
constexpr auto ParseF64 = ParseFloat<double, std::strtod>;

// Reports whether the text of a finite number was read as infinity.
bool IsBeyond(absl::string_view text, double value) {
  return std::isinf(value) && text.find_first_of("nN") == text.npos;
}

absl::Status OutOfRange(absl::string_view text, ElementType type) {
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "' is out of the range of ", hal::ElementTypeName(type)));
}

bool IsHex(absl::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isxdigit(c); });
}

// A whole number of either sign.
struct WholeNumber {
  bool negative;
  uint64_t magnitude;
};
std::optional<WholeNumber> ParseWhole(absl::string_view text) {
  WholeNumber number = {};
  number.negative = absl::ConsumePrefix(&text, "-");
  if (!number.negative) absl::ConsumePrefix(&text, "+");
  if (text.empty() || !absl::ascii_isalnum(text[0])) return std::nullopt;
  // SimpleHexAtoi also accepts "+1", " 1" and "0x1".
  const bool parsed =
      absl::StartsWithIgnoreCase(text, "0x")
          ? IsHex(text.substr(2)) &&
                absl::SimpleHexAtoi(text.substr(2), &number.magnitude)
          : absl::SimpleAtoi(text, &number.magnitude);
  if (!parsed) return std::nullopt;
  return number;
}

// The range of an integer type; signless types accept the signed and unsigned
// ranges.
struct IntegerRange {
  uint64_t below_zero;  // magnitude of the smallest value
  uint64_t greatest;
};
IntegerRange RangeOf(ElementType type) {
  const uint32_t bits = hal::BitCount(type);
  const uint64_t all = ~uint64_t{0} >> (64 - bits);
  const uint64_t half = uint64_t{1} << (bits - 1);
  switch (hal::NumericalKind(type)) {
    case hal::numerical_kind::kSigned:
      return {half, half - 1};
    case hal::numerical_kind::kUnsigned:
      return {0, all};
    default:
      return {half, all};
  }
}

absl::StatusOr<uint64_t> ParseInteger(absl::string_view text,
                                      ElementType type) {
  const std::optional<WholeNumber> number = ParseWhole(text);
  if (!number) {
    return ParseF64(text) ? absl::InvalidArgumentError(absl::StrCat(
                                "'", text, "' is not a whole number, as ",
                                hal::ElementTypeName(type), " needs"))
                          : NotANumber(text);
  }
  const IntegerRange range = RangeOf(type);
  if (number->magnitude >
      (number->negative ? range.below_zero : range.greatest)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' does not fit ", hal::ElementTypeName(type),
                     " (", range.below_zero ? "-" : "", range.below_zero,
                     " to ", range.greatest, ")"));
  }
  return number->negative ? ~number->magnitude + 1 : number->magnitude;
}

absl::StatusOr<uint8_t> ParseBoolean(absl::string_view text) {
  if (text == "0" || text == "00" || absl::EqualsIgnoreCase(text, "false")) {
    return 0;
  }
  if (text == "1" || text == "01" || absl::EqualsIgnoreCase(text, "true")) {
    return 1;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "' is not a boolean (0, 1, true or false)"));
}

// Parses the element's bytes, with two digits each, first byte first.
absl::Status ParseHex(absl::string_view text, std::span<uint8_t> target) {
  const auto bytes =
      text.size() == target.size() * 2 ? BytesOfHex(text) : std::nullopt;
  if (!bytes.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", text, "' is not ", target.size() * 2, " hexadecimal digits"));
  }
  std::copy(bytes->begin(), bytes->end(), target.begin());
  return absl::OkStatus();
}

// Parses "1", "2i", "1+2i" or "-1.5e3-2i", or the bytes in hexadecimal.
absl::Status ParseComplex(absl::string_view text, ElementType type,
                          std::span<uint8_t> target) {
  if (text.size() == target.size() * 2 && IsHex(text)) {
    return ParseHex(text, target);
  }
  absl::string_view rest = text, real_text = "0", imaginary_text = "0";
  if (!absl::ConsumeSuffix(&rest, "i") && !absl::ConsumeSuffix(&rest, "j")) {
    real_text = rest;
  } else {
    size_t sign = rest.size();
    while (--sign > 0 && sign < rest.size()) {
      if ((rest[sign] == '+' || rest[sign] == '-') &&
          absl::ascii_tolower(rest[sign - 1]) != 'e') {
        break;
      }
    }
    if (sign > 0 && sign < rest.size()) real_text = rest.substr(0, sign);
    imaginary_text = sign < rest.size() ? rest.substr(sign) : rest;
  }
  const std::optional<double> real = ParseF64(real_text);
  const std::optional<double> imaginary = ParseF64(imaginary_text);
  if (!real || !imaginary) return NotANumber(text);
  const bool narrow = type == ElementType::kComplex64;
  const auto is_beyond = [narrow](absl::string_view part, double value) {
    return IsBeyond(part, narrow ? static_cast<float>(value) : value);
  };
  if (is_beyond(real_text, *real) || is_beyond(imaginary_text, *imaginary)) {
    return OutOfRange(text, type);
  }
  if (narrow) {
    Store(static_cast<float>(*real), target);
    Store(static_cast<float>(*imaginary), target.subspan(4));
  } else {
    Store(*real, target);
    Store(*imaginary, target.subspan(8));
  }
  return absl::OkStatus();
}

// Parses a float of at most 16 bits, which must be in the format's range.
absl::Status ParseSmallFloat(absl::string_view text, ElementType type,
                             const FloatFormat& format,
                             std::span<uint8_t> target) {
  const std::optional<double> value = ParseF64(text);
  if (!value) return NotANumber(text);
  if (IsBeyond(text, *value) || !IsInRange(format, *value)) {
    return OutOfRange(text, type);
  }
  const uint16_t bits = EncodeFloat(format, *value);
  std::memcpy(target.data(), &bits, (hal::BitCount(type) + 7) / 8);
  return absl::OkStatus();
}

// Stores an element narrower than a byte. The first element is in the lowest
// bits.
void StoreBits(uint64_t value, uint32_t bits, uint64_t bit,
               std::span<uint8_t> target) {
  const uint32_t shift = bit % 8;
  const auto mask = static_cast<uint8_t>(((1u << bits) - 1) << shift);
  uint8_t& byte = target[bit / 8];
  byte = static_cast<uint8_t>((byte & ~mask) |
                              (static_cast<uint8_t>(value << shift) & mask));
}

bool IsSeparator(char c) {
  return absl::ascii_isspace(c) || c == ',' || c == '[' || c == ']';
}

// Removes the next element's text from the front and returns it; empty at the
// end.
absl::string_view NextToken(absl::string_view& text) {
  size_t begin = 0;
  while (begin < text.size() && IsSeparator(text[begin])) ++begin;
  size_t end = begin;
  while (end < text.size() && !IsSeparator(text[end])) ++end;
  const absl::string_view token = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return token;
}

size_t CountTokens(absl::string_view text) {
  size_t count = 0;
  while (!NextToken(text).empty()) ++count;
  return count;
}

absl::Status WrongCount(size_t given, const hal::TensorType& spec,
                        int64_t count) {
  return absl::OutOfRangeError(
      absl::StrCat(given, given == 1 ? " element is" : " elements are",
                   " given; ", spec.ToString(), " has ", count, "."));
}

// Fills the tensor with copies of its first element.
void Splat(ElementType type, int64_t count, std::span<uint8_t> target) {
  const uint32_t bits = hal::StrideBits(type);
  if (bits % 8 != 0) {
    const uint64_t value = target[0] & ((1u << bits) - 1);
    for (int64_t i = 1; i < count; ++i)
      StoreBits(value, bits, i * bits, target);
    return;
  }
  const size_t size = bits / 8;
  size_t filled = size;
  while (filled < target.size()) {
    const size_t step = std::min(filled, target.size() - filled);
    std::memcpy(target.data() + filled, target.data(), step);
    filled += step;
  }
}

// Reports whether a type is an integer of 1, 2, 4, 8, 16, 32 or 64 bits.
bool IsPlainInteger(ElementType type) {
  const uint8_t kind = hal::NumericalKind(type);
  const uint32_t bits = hal::BitCount(type);
  return kind >= hal::numerical_kind::kSignless &&
         kind <= hal::numerical_kind::kUnsigned && bits <= 64 &&
         std::has_single_bit(bits);
}

template <typename T>
T Load(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

void AppendFloat(double value, FloatCase float_case, std::string& out) {
  // Only release 3.11 prints lower case, and only for these values: "1E+30",
  // but "inf". It omits the sign of NaN.
  const bool small = float_case == FloatCase::kLower && !std::isfinite(value);
  char text[40];
  if (small && std::isnan(value)) value = std::fabs(value);
  const int size =
      std::snprintf(text, sizeof(text), small ? "%g" : "%G", value);
  const absl::string_view number(text, static_cast<size_t>(size));
  // The locale may have another decimal point, of any number of bytes.
  const size_t point = number.find_first_not_of("0123456789+-.EINFAeinfa");
  if (point == number.npos) [[likely]] {
    out.append(number.data(), number.size());
    return;
  }
  const size_t digits = number.find_first_of("0123456789", point);
  absl::StrAppend(&out, number.substr(0, point), ".", number.substr(digits));
}

void AppendHex(std::span<const uint8_t> bytes, std::string& out) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  for (uint8_t byte : bytes) {
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
}

// Loads an integer of `bits` bits, a power of two up to 64. `bit` must be a
// multiple of `bits`.
uint64_t LoadInteger(std::span<const uint8_t> bytes, uint64_t bit,
                     uint32_t bits) {
  if (bits < 8) return (bytes[bit / 8] >> (bit % 8)) & ((1u << bits) - 1);
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + bit / 8, bits / 8);
  return value;
}

struct Printer {
  std::span<const uint8_t> bytes;
  const hal::TensorType& spec;
  FloatCase float_case;
  size_t left;        // remaining elements to print
  size_t empty_rows;  // remaining brackets to print without elements in them
  std::string& out;
  uint64_t bit = 0;

  void Row(int64_t length) {
    const auto shown = static_cast<int64_t>(
        std::min<uint64_t>(left, static_cast<uint64_t>(length)));
    left -= static_cast<size_t>(shown);
    const uint32_t bits = hal::StrideBits(spec.element);
    for (int64_t i = 0; i < shown; ++i) {
      if (i > 0) out.push_back(' ');
      AppendElement(bytes, bit + i * bits, spec.element, float_case, out);
    }
    bit += static_cast<uint64_t>(length) * bits;
    if (shown < length) out.append("...");
  }
  void Dimension(size_t axis) {
    if (axis + 1 >= spec.shape.size()) {
      return Row(spec.shape.empty() ? 1 : spec.shape[axis]);
    }
    for (int64_t i = 0; i < spec.shape[axis]; ++i) {
      if (left == 0 && empty_rows-- == 0) {
        empty_rows = 0;
        out.append("...");
        return;
      }
      out.push_back('[');
      Dimension(axis + 1);
      out.push_back(']');
    }
  }
};

}  // namespace

const FloatFormat* SmallFloatFormat(ElementType type) {
  switch (type) {
    case ElementType::kFloat16:
      return &kFloat16;
    case ElementType::kBfloat16:
      return &kBfloat16;
    case ElementType::kFloat8E5M2:
      return &kFloat8E5M2;
    case ElementType::kFloat8E4M3FN:
      return &kFloat8E4M3FN;
    case ElementType::kFloat8E5M2FNUZ:
      return &kFloat8E5M2FNUZ;
    case ElementType::kFloat8E4M3FNUZ:
      return &kFloat8E4M3FNUZ;
    case ElementType::kFloat8E8M0FNU:
      return &kFloat8E8M0FNU;
    case ElementType::kFloat6E3M2FN:
      return &kFloat6E3M2FN;
    case ElementType::kFloat6E2M3FN:
      return &kFloat6E2M3FN;
    case ElementType::kFloat4E2M1FN:
      return &kFloat4E2M1FN;
    default:
      return nullptr;
  }
}

absl::Status ParseElement(absl::string_view text, ElementType type,
                          std::span<uint8_t> target) {
  if (hal::IsIntegerKind(type)) {
    ASSIGN_OR_RETURN(const uint64_t value, ParseInteger(text, type));
    if (hal::BitCount(type) < 8) {
      StoreBits(value, hal::BitCount(type), 0, target);
    } else {
      std::memcpy(target.data(), &value, hal::BitCount(type) / 8);
    }
    return absl::OkStatus();
  }
  if (hal::NumericalKind(type) == hal::numerical_kind::kBoolean &&
      hal::BitCount(type) == 8) {
    ASSIGN_OR_RETURN(target[0], ParseBoolean(text));
    return absl::OkStatus();
  }
  if (type == ElementType::kFloat64) {
    const std::optional<double> value = ParseF64(text);
    if (!value) return NotANumber(text);
    if (IsBeyond(text, *value)) return OutOfRange(text, type);
    Store(*value, target);
    return absl::OkStatus();
  }
  if (type == ElementType::kFloat32) {
    const std::optional<float> value = ParseF32(text);
    if (!value) return NotANumber(text);
    if (IsBeyond(text, *value)) return OutOfRange(text, type);
    Store(*value, target);
    return absl::OkStatus();
  }
  if (const FloatFormat* small = SmallFloatFormat(type)) {
    return ParseSmallFloat(text, type, *small, target);
  }
  if (hal::NumericalKind(type) == hal::numerical_kind::kComplex) {
    return ParseComplex(text, type, target.first(hal::BitCount(type) / 8));
  }
  return ParseHex(text, target.first((hal::BitCount(type) + 7) / 8));
}

absl::Status ParseElements(absl::string_view text, const hal::TensorType& spec,
                           std::span<uint8_t> target) {
  ASSIGN_OR_RETURN(const int64_t count, spec.ElementCount());
  const uint32_t bits = hal::StrideBits(spec.element);
  const absl::string_view whole = text;
  int64_t parsed = 0;
  for (absl::string_view token; !(token = NextToken(text)).empty(); ++parsed) {
    if (parsed == count) {
      return WrongCount(CountTokens(whole), spec, count);
    }
    const uint64_t bit = static_cast<uint64_t>(parsed) * bits;
    uint8_t narrow[1] = {};
    const std::span<uint8_t> place =
        bits < 8 ? std::span<uint8_t>(narrow) : target.subspan(bit / 8);
    const absl::Status status = ParseElement(token, spec.element, place);
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Element ", parsed, " ", status.message(), "."));
    }
    if (bits < 8) StoreBits(narrow[0], bits, bit, target);
  }
  if (parsed == 0) {
    std::fill(target.begin(), target.end(), 0);
  } else if (parsed == 1 && count > 1) {
    Splat(spec.element, count, target);
  } else if (parsed < count) {
    return WrongCount(static_cast<size_t>(parsed), spec, count);
  }
  return absl::OkStatus();
}

void AppendElement(std::span<const uint8_t> bytes, uint64_t bit,
                   ElementType type, FloatCase float_case, std::string& out) {
  const uint32_t bits = hal::BitCount(type);
  const uint8_t* at = bytes.data() + bit / 8;
  if (IsPlainInteger(type)) {
    const uint64_t value = LoadInteger(bytes, bit, bits);
    if (hal::NumericalKind(type) == hal::numerical_kind::kUnsigned) {
      absl::StrAppend(&out, value);
    } else {
      const uint32_t unused = 64 - bits;
      absl::StrAppend(&out, static_cast<int64_t>(value << unused) >> unused);
    }
  } else if (type == ElementType::kFloat32) {
    AppendFloat(Load<float>(at), float_case, out);
  } else if (type == ElementType::kFloat64) {
    AppendFloat(Load<double>(at), float_case, out);
  } else if (const FloatFormat* small = SmallFloatFormat(type)) {
    const auto pattern =
        bits > 8 ? Load<uint16_t>(at) : static_cast<uint16_t>(*at >> bit % 8);
    // The sign of a narrow NaN is not printed.
    const float value = DecodeFloat(*small, pattern);
    AppendFloat(std::isnan(value) ? std::fabs(value) : value, float_case, out);
  } else {
    AppendHex({at, (bits + 7) / 8}, out);
  }
}

void AppendElements(std::span<const uint8_t> bytes, const hal::TensorType& spec,
                    size_t limit, FloatCase float_case, std::string& out,
                    size_t empty_rows) {
  const bool has_elements = spec.ElementCount().value_or(1) != 0;
  Printer{bytes, spec, float_case, has_elements ? limit : 0, empty_rows, out}
      .Dimension(0);
}

}  // namespace eyrie::abi
