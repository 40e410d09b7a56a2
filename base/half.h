// The small floating-point formats and their conversion to and from float.
//
// One row per format; one decoder and one encoder read them. Decoding is
// exact; encoding rounds to nearest, ties to even. What is too large becomes
// infinity where the format has one, NaN where it has only that.
// Tested by half_test.cc, over every bit pattern.
#ifndef EYRIE_BASE_HALF_H_
#define EYRIE_BASE_HALF_H_

#include <cstdint>

namespace eyrie {

// How a format spends its bits; sign first, then exponent, then mantissa.
struct FloatFormat {
  // What the highest exponent, or the pattern of minus zero, stands for.
  enum class Specials : uint8_t {
    kIeee,   // infinities and NaNs, as in IEEE 754
    kFn,     // no infinities; all ones is NaN
    kFnuz,   // no infinities, no minus zero: its pattern is the only NaN
    kScale,  // powers of two without sign or zero; all ones is NaN
  };
  uint8_t exponent_bits;
  uint8_t mantissa_bits;
  int16_t bias;
  Specials specials;
};

inline constexpr FloatFormat kFloat16 = {5, 10, 15,
                                         FloatFormat::Specials::kIeee};
inline constexpr FloatFormat kBfloat16 = {8, 7, 127,
                                          FloatFormat::Specials::kIeee};
inline constexpr FloatFormat kFloat8E5M2 = {5, 2, 15,
                                            FloatFormat::Specials::kIeee};
inline constexpr FloatFormat kFloat8E4M3FN = {4, 3, 7,
                                              FloatFormat::Specials::kFn};
inline constexpr FloatFormat kFloat8E5M2FNUZ = {5, 2, 16,
                                                FloatFormat::Specials::kFnuz};
inline constexpr FloatFormat kFloat8E4M3FNUZ = {4, 3, 8,
                                                FloatFormat::Specials::kFnuz};
inline constexpr FloatFormat kFloat8E8M0FNU = {8, 0, 127,
                                               FloatFormat::Specials::kScale};

// The value of a bit pattern; bits above the format's are ignored.
float DecodeFloat(const FloatFormat& format, uint16_t bits);

// The nearest pattern.
uint16_t EncodeFloat(const FloatFormat& format, float value);

}  // namespace eyrie

#endif  // EYRIE_BASE_HALF_H_
