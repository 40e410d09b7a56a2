#include "abi/tensor/tensor_compare.h"

#include <cmath>
#include <cstring>

#include "abi/tensor/tensor_text.h"
#include "base/half.h"

namespace eyrie::abi {

using hal::ElementType;
namespace kind = hal::numerical_kind;

namespace {

// An integer as its sign and magnitude, so that i64 and ui64 can be subtracted.
struct Integer {
  bool negative = false;
  uint64_t magnitude = 0;
};

Integer IntegerAt(std::span<const uint8_t> bytes, int64_t index,
                  ElementType type, bool has_sign) {
  const uint32_t bits = hal::BitCount(type);
  const uint64_t bit = static_cast<uint64_t>(index) * hal::StrideBits(type);
  const uint64_t mask = ~uint64_t{0} >> (64 - bits);
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + bit / 8, (bits + 7) / 8);
  value = (value >> bit % 8) & mask;
  if (hal::NumericalKind(type) == kind::kBoolean) return {false, value != 0};
  if (!has_sign || value >> (bits - 1) == 0) return {false, value};
  return {true, mask - value + 1};
}

// Reports whether elements of the type are read as signed numbers, next to
// elements of the other type.
bool ReadsSigned(ElementType type, ElementType other) {
  const uint8_t own = hal::NumericalKind(type);
  const uint8_t used = own == kind::kSignless ? hal::NumericalKind(other) : own;
  return used == kind::kSigned || used == kind::kSignless;
}

double IntegerError(const ElementPair& pair, int64_t index) {
  const ElementType a_type = pair.actual_type;
  const ElementType b_type = pair.expected_type;
  const Integer a =
      IntegerAt(pair.actual, index, a_type, ReadsSigned(a_type, b_type));
  const Integer b =
      IntegerAt(pair.expected, index, b_type, ReadsSigned(b_type, a_type));
  if (a.negative != b.negative) {
    return static_cast<double>(a.magnitude) + static_cast<double>(b.magnitude);
  }
  return static_cast<double>(a.magnitude > b.magnitude
                                 ? a.magnitude - b.magnitude
                                 : b.magnitude - a.magnitude);
}

}  // namespace

bool IsNear(double actual, double expected, double absolute, double relative) {
  if (actual == expected) return true;
  if (std::isnan(actual) && std::isnan(expected)) return true;
  if (!std::isfinite(expected)) return false;
  return std::fabs(actual - expected) <=
         absolute + relative * std::fabs(expected);
}

std::optional<double> FloatAt(std::span<const uint8_t> bytes, int64_t index,
                              ElementType type) {
  const uint64_t bit = static_cast<uint64_t>(index) * hal::StrideBits(type);
  const uint8_t* at = bytes.data() + bit / 8;
  if (type == ElementType::kFloat64) {
    double number;
    std::memcpy(&number, at, sizeof(number));
    return number;
  }
  if (type == ElementType::kFloat32) {
    float number;
    std::memcpy(&number, at, sizeof(number));
    return number;
  }
  const FloatFormat* const format = SmallFloatFormat(type);
  if (format == nullptr) return std::nullopt;
  if (hal::StrideBits(type) < 16) {  // DecodeFloat ignores the other bits
    return DecodeFloat(*format, static_cast<uint16_t>(*at >> bit % 8));
  }
  uint16_t bits;
  std::memcpy(&bits, at, sizeof(bits));
  return DecodeFloat(*format, bits);
}

bool HasSameBits(std::span<const uint8_t> a, std::span<const uint8_t> b,
                 int64_t index, uint32_t bits) {
  if (bits >= 8) {
    const size_t size = bits / 8;
    return std::memcmp(a.data() + index * size, b.data() + index * size,
                       size) == 0;
  }
  if (bits == 0) return true;
  const uint64_t bit = static_cast<uint64_t>(index) * bits;
  const uint32_t mask = (1u << bits) - 1;
  return ((a[bit / 8] >> bit % 8) & mask) == ((b[bit / 8] >> bit % 8) & mask);
}

std::optional<double> ErrorAt(const ElementPair& pair, int64_t index) {
  const ElementType type = pair.actual_type;
  const uint32_t bits = hal::BitCount(type);
  if (hal::IsIntegerOrBool(type)) {
    if (bits == 0 || bits > 64) return std::nullopt;
    return IntegerError(pair, index);
  }
  const std::optional<double> actual = FloatAt(pair.actual, index, type);
  const std::optional<double> expected = FloatAt(pair.expected, index, type);
  if (!actual || !expected) return std::nullopt;
  if (*actual == *expected) return 0;  // also two infinities
  if (std::isnan(*actual) && std::isnan(*expected)) return 0;
  return std::fabs(*actual - *expected);
}

}  // namespace eyrie::abi
