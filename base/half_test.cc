// Tests every bit pattern of every format, and rounding between neighbours.
#include "base/half.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace eyrie {
namespace {

struct Named {
  const char* name;
  FloatFormat format;
};

const Named kFormats[] = {
    {"f16", kFloat16},
    {"bf16", kBfloat16},
    {"f8E5M2", kFloat8E5M2},
    {"f8E4M3FN", kFloat8E4M3FN},
    {"f8E5M2FNUZ", kFloat8E5M2FNUZ},
    {"f8E4M3FNUZ", kFloat8E4M3FNUZ},
    {"f8E8M0FNU", kFloat8E8M0FNU},
};

uint32_t PatternCount(const FloatFormat& format) {
  const bool has_sign = format.specials != FloatFormat::Specials::kScale;
  return 1u << (format.exponent_bits + format.mantissa_bits + has_sign);
}

TEST(Half, EveryPatternSurvivesTheRoundTrip) {
  for (const Named& row : kFormats) {
    SCOPED_TRACE(row.name);
    for (uint32_t bits = 0; bits < PatternCount(row.format); ++bits) {
      const float value = DecodeFloat(row.format, bits);
      const uint16_t again = EncodeFloat(row.format, value);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(DecodeFloat(row.format, again))) << bits;
      } else {
        EXPECT_EQ(again, bits);
      }
    }
  }
}

// Between two neighbours, the encoder chooses the nearer, or else the even one.
TEST(Half, RoundsToNearestEven) {
  for (const Named& row : kFormats) {
    if (row.format.specials == FloatFormat::Specials::kScale) continue;
    SCOPED_TRACE(row.name);
    const uint32_t positive = PatternCount(row.format) / 2;
    for (uint32_t bits = 0; bits + 1 < positive; ++bits) {
      const double low = DecodeFloat(row.format, bits);
      const double high = DecodeFloat(row.format, bits + 1);
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      const float middle = static_cast<float>((low + high) / 2);
      if (middle != (low + high) / 2) continue;  // not exact in float
      const uint32_t even = bits & 1 ? bits + 1 : bits;
      EXPECT_EQ(EncodeFloat(row.format, middle), even) << bits;
      EXPECT_EQ(EncodeFloat(row.format, std::nextafter(middle, 0.0f)), bits);
      EXPECT_EQ(EncodeFloat(row.format, std::nextafter(middle, INFINITY)),
                bits + 1);
    }
  }
}

TEST(Half, Values) {
  const float kNan = std::numeric_limits<float>::quiet_NaN();
  const struct {
    FloatFormat format;
    float value;
    uint16_t bits;
  } kRows[] = {
      {kFloat16, 1.0f, 0x3C00},        {kFloat16, -2.0f, 0xC000},
      {kFloat16, 65504.0f, 0x7BFF},    {kFloat16, 65520.0f, 0x7C00},
      {kFloat16, 5.9604645e-8f, 1},    {kFloat16, kNan, 0x7E00},
      {kBfloat16, 1.0f, 0x3F80},       {kBfloat16, 3.14f, 0x4049},
      {kBfloat16, 3.4e38f, 0x7F80},    {kBfloat16, -0.0f, 0x8000},
      {kFloat8E5M2, 57344.0f, 0x7B},   {kFloat8E5M2, 1e6f, 0x7C},
      {kFloat8E4M3FN, 448.0f, 0x7E},   {kFloat8E4M3FN, 500.0f, 0x7F},
      {kFloat8E4M3FN, -1e9f, 0xFF},    {kFloat8E4M3FNUZ, 240.0f, 0x7F},
      {kFloat8E4M3FNUZ, 300.0f, 0x80}, {kFloat8E4M3FNUZ, -0.0f, 0x00},
      {kFloat8E5M2FNUZ, 1.0f, 0x40},   {kFloat8E8M0FNU, 1.0f, 127},
      {kFloat8E8M0FNU, 0.0f, 0},       {kFloat8E8M0FNU, 3.0f, 129},
      {kFloat8E8M0FNU, -2.0f, 0xFF},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(EncodeFloat(row.format, row.value), row.bits)
        << row.value << " in row " << &row - kRows;
  }
}

}  // namespace
}  // namespace eyrie
