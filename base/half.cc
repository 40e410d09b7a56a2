#include "base/half.h"

#include <bit>
#include <cmath>
#include <limits>

namespace eyrie {
namespace {

using Specials = FloatFormat::Specials;

constexpr int kDoubleMantissaBits = 52;
constexpr int kDoubleBias = 1023;
constexpr uint32_t kDoubleMaxExponent = 0x7FF;
constexpr uint64_t kDoubleImplicitBit = uint64_t{1} << kDoubleMantissaBits;

uint32_t MaxExponent(const FloatFormat& format) {
  return (1u << format.exponent_bits) - 1;
}

uint16_t SignBit(const FloatFormat& format) {
  return static_cast<uint16_t>(
      1u << (format.exponent_bits + format.mantissa_bits));
}

// Returns a NaN without sign; minus zero if the format has none.
uint16_t NanBits(const FloatFormat& format) {
  const uint32_t ones = SignBit(format) - 1u;
  switch (format.specials) {
    case Specials::kIeee:  // quiet: the top mantissa bit
      return static_cast<uint16_t>(MaxExponent(format) << format.mantissa_bits |
                                   1u << (format.mantissa_bits - 1));
    case Specials::kFnuz:
    case Specials::kFinite:
      return SignBit(format);
    case Specials::kFn:
    case Specials::kScale:
      return static_cast<uint16_t>(ones);
  }
  return 0;
}

// Returns the bits of the largest finite magnitude.
uint32_t MaxFinite(const FloatFormat& format) {
  const uint32_t ones = SignBit(format) - 1u;
  switch (format.specials) {
    case Specials::kIeee:
      return (MaxExponent(format) << format.mantissa_bits) - 1;
    case Specials::kFnuz:
    case Specials::kFinite:
      return ones;
    case Specials::kFn:
    case Specials::kScale:
      return ones - 1;
  }
  return 0;
}

uint16_t OverflowBits(const FloatFormat& format, uint16_t sign) {
  if (format.specials == Specials::kIeee) {
    return static_cast<uint16_t>(sign | MaxExponent(format)
                                            << format.mantissa_bits);
  }
  if (format.specials == Specials::kFn) {
    return static_cast<uint16_t>(sign | NanBits(format));
  }
  if (format.specials == Specials::kFinite) {
    return static_cast<uint16_t>(sign | MaxFinite(format));
  }
  return NanBits(format);
}

// Returns value >> shift, rounded to nearest, ties to even.
uint64_t RoundedShift(uint64_t value, int shift) {
  if (shift > 63) return 0;
  const uint64_t kept = value >> shift;
  const uint64_t lost = value & ((uint64_t{1} << shift) - 1);
  const uint64_t half = uint64_t{1} << (shift - 1);
  return kept + (lost > half || (lost == half && (kept & 1)) ? 1 : 0);
}

// Returns the bits of a finite value's magnitude, which may exceed MaxFinite.
uint64_t RoundedMagnitude(const FloatFormat& format, double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const auto double_exponent =
      static_cast<int>(bits >> kDoubleMantissaBits & kDoubleMaxExponent);
  uint64_t significand = bits & (kDoubleImplicitBit - 1);
  if (double_exponent != 0) significand |= kDoubleImplicitBit;
  int exponent =
      (double_exponent == 0 ? 1 : double_exponent) - kDoubleBias + format.bias;
  int shift = kDoubleMantissaBits - format.mantissa_bits;
  if (exponent < 1) {  // denormal in the format
    shift += 1 - exponent;
    exponent = 1;
  }
  // A carry out of the mantissa increases the exponent. A significand without
  // its implicit bit leaves the exponent field zero.
  return (static_cast<uint64_t>(exponent - 1) << format.mantissa_bits) +
         RoundedShift(significand, shift);
}

// Returns the nearest power of two. Ties go up, since there is no mantissa bit
// that could be even. Zero does not exist; it becomes the smallest scale.
uint16_t EncodeScale(const FloatFormat& format, double value) {
  if (value == 0) return 0;
  if (!(value > 0) || std::isinf(value)) return NanBits(format);
  int exponent;
  const double fraction = std::frexp(value, &exponent);  // in [0.5, 1)
  const int code = exponent - 1 + format.bias + (fraction >= 0.75 ? 1 : 0);
  if (code > static_cast<int>(MaxFinite(format))) return NanBits(format);
  return static_cast<uint16_t>(code < 0 ? 0 : code);
}

}  // namespace

float DecodeFloat(const FloatFormat& format, uint16_t bits) {
  const uint32_t mantissa_mask = (1u << format.mantissa_bits) - 1;
  const uint32_t mantissa = bits & mantissa_mask;
  const uint32_t exponent = bits >> format.mantissa_bits & MaxExponent(format);
  const uint32_t magnitude = bits & (SignBit(format) - 1u);
  if (format.specials == Specials::kScale) {
    if (magnitude == MaxExponent(format)) {
      return std::numeric_limits<float>::quiet_NaN();
    }
    return std::ldexp(1.0f, static_cast<int>(magnitude) - format.bias);
  }
  const bool negative = bits & SignBit(format);
  const float sign = negative ? -1.0f : 1.0f;
  if (format.specials == Specials::kFnuz) {
    if (negative && magnitude == 0) {
      return std::numeric_limits<float>::quiet_NaN();
    }
  } else if (magnitude > MaxFinite(format)) {
    if (format.specials == Specials::kIeee && mantissa == 0) {
      return sign * std::numeric_limits<float>::infinity();
    }
    return std::copysign(std::numeric_limits<float>::quiet_NaN(), sign);
  }
  const uint32_t significand =
      exponent == 0 ? mantissa : mantissa | 1u << format.mantissa_bits;
  const int scale = static_cast<int>(exponent == 0 ? 1 : exponent) -
                    format.bias - format.mantissa_bits;
  return sign * std::ldexp(static_cast<float>(significand), scale);
}

uint16_t EncodeFloat(const FloatFormat& format, double value) {
  if (format.specials == Specials::kScale) return EncodeScale(format, value);
  const uint16_t sign = std::signbit(value) ? SignBit(format) : 0;
  if (std::isnan(value)) {
    const bool keeps_sign = format.specials != Specials::kFnuz;
    return static_cast<uint16_t>(NanBits(format) | (keeps_sign ? sign : 0));
  }
  if (std::isinf(value)) return OverflowBits(format, sign);
  const uint64_t magnitude = RoundedMagnitude(format, value);
  if (magnitude > MaxFinite(format)) return OverflowBits(format, sign);
  if (magnitude == 0 && format.specials == Specials::kFnuz) return 0;
  return static_cast<uint16_t>(sign | magnitude);
}

bool IsInRange(const FloatFormat& format, double value) {
  if (format.specials == Specials::kFinite) {
    return std::isfinite(value) &&
           RoundedMagnitude(format, value) <= MaxFinite(format);
  }
  return !std::isfinite(value) ||
         std::isfinite(DecodeFloat(format, EncodeFloat(format, value)));
}

}  // namespace eyrie
