// Converts between numbers and the floating-point formats of 4 to 16 bits.
//
// Each format is a row of numbers for one decoder and one encoder. Decoding is
// exact. Encoding rounds to nearest, ties to even. A value that is too large
// becomes infinity, NaN if the format has no infinity, or the largest value if
// it has neither.
// Tested by half_test.cc, over every bit pattern.
#ifndef EYRIE_BASE_HALF_H_
#define EYRIE_BASE_HALF_H_

#include <cstdint>

namespace eyrie {

// The layout of a format: sign, exponent, mantissa, from the highest bit on.
struct FloatFormat {
  // The meaning of the highest exponent and of the pattern of minus zero.
  enum class Specials : uint8_t {
    kIeee,    // infinities and NaNs, as in IEEE 754
    kFn,      // no infinities; all ones is NaN
    kFinite,  // no infinities, no NaN
    kFnuz,    // no infinities; the pattern of minus zero is the only NaN
    kScale,   // powers of two without sign or zero; all ones is NaN
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
inline constexpr FloatFormat kFloat6E3M2FN = {3, 2, 3,
                                              FloatFormat::Specials::kFinite};
inline constexpr FloatFormat kFloat6E2M3FN = {2, 3, 1,
                                              FloatFormat::Specials::kFinite};
inline constexpr FloatFormat kFloat4E2M1FN = {2, 1, 1,
                                              FloatFormat::Specials::kFinite};

// Returns the value of a bit pattern. Ignores bits above the format's.
float DecodeFloat(const FloatFormat& format, uint16_t bits);

// Returns the bit pattern of the nearest value. A format without NaN represents
// it as minus zero.
uint16_t EncodeFloat(const FloatFormat& format, double value);

// Reports whether encoding a value keeps its class: finite, infinite or NaN.
// Infinities may become NaN in a format that has only NaN.
bool IsInRange(const FloatFormat& format, double value);

}  // namespace eyrie

#endif  // EYRIE_BASE_HALF_H_
