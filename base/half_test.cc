// Tests every bit pattern of every format, and rounding between neighbours.
#include "base/half.h"

#include <cmath>
#include <limits>
#include <vector>

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
    {"f6E3M2FN", kFloat6E3M2FN},
    {"f6E2M3FN", kFloat6E2M3FN},
    {"f4E2M1FN", kFloat4E2M1FN},
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

// The values of all patterns without sign, in their order.
struct Table {
  FloatFormat format;
  std::vector<float> values;
};
const Table kTables[] = {
    {kFloat4E2M1FN, {0, 0.5f, 1, 1.5f, 2, 3, 4, 6}},
    {kFloat6E2M3FN, {0, 0.125f, 0.25f, 0.375f, 0.5f, 0.625f, 0.75f, 0.875f,
                     1, 1.125f, 1.25f, 1.375f, 1.5f, 1.625f, 1.75f, 1.875f,
                     2, 2.25f,  2.5f,  2.75f,  3,    3.25f,  3.5f,  3.75f,
                     4, 4.5f,   5,     5.5f,   6,    6.5f,   7,     7.5f}},
    {kFloat6E3M2FN,
     {0,    0.0625f, 0.125f, 0.1875f, 0.25f, 0.3125f, 0.375f, 0.4375f,
      0.5f, 0.625f,  0.75f,  0.875f,  1,     1.25f,   1.5f,   1.75f,
      2,    2.5f,    3,      3.5f,    4,     5,       6,      7,
      8,    10,      12,     14,      16,    20,      24,     28}},
};

TEST(Half, EveryValueOfTheNarrowestFormats) {
  for (const Table& table : kTables) {
    const auto count = static_cast<uint16_t>(table.values.size());
    ASSERT_EQ(count * 2u, PatternCount(table.format));
    for (uint16_t bits = 0; bits < count; ++bits) {
      const float value = table.values[bits];
      EXPECT_EQ(DecodeFloat(table.format, bits), value);
      const float negative = DecodeFloat(table.format, bits | count);
      EXPECT_EQ(negative, -value);
      EXPECT_TRUE(std::signbit(negative)) << bits;
      // The bits above the format's are ignored.
      EXPECT_EQ(DecodeFloat(table.format, bits | 0xFFC0 | count), -value);
      EXPECT_EQ(EncodeFloat(table.format, value), bits);
      EXPECT_EQ(EncodeFloat(table.format, -value), bits | count);
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
    double value;
    uint16_t bits;
  } kRows[] = {
      {kFloat16, 1.0f, 0x3C00},
      {kFloat16, -2.0f, 0xC000},
      {kFloat16, 65504.0f, 0x7BFF},
      {kFloat16, 65520.0f, 0x7C00},
      {kFloat16, 5.9604645e-8f, 1},
      {kFloat16, kNan, 0x7E00},
      {kBfloat16, 1.0f, 0x3F80},
      {kBfloat16, 3.14f, 0x4049},
      {kBfloat16, 3.4e38f, 0x7F80},
      {kBfloat16, -0.0f, 0x8000},
      {kFloat8E5M2, 57344.0f, 0x7B},
      {kFloat8E5M2, 1e6f, 0x7C},
      {kFloat8E4M3FN, 448.0f, 0x7E},
      {kFloat8E4M3FN, 500.0f, 0x7F},
      {kFloat8E4M3FN, -1e9f, 0xFF},
      {kFloat8E4M3FNUZ, 240.0f, 0x7F},
      {kFloat8E4M3FNUZ, 300.0f, 0x80},
      {kFloat8E4M3FNUZ, -0.0f, 0x00},
      {kFloat8E5M2FNUZ, 1.0f, 0x40},
      {kFloat8E8M0FNU, 1.0f, 127},
      {kFloat8E8M0FNU, 0.0f, 0},
      {kFloat8E8M0FNU, 3.0f, 129},
      {kFloat8E8M0FNU, -2.0f, 0xFF},
      // Too large: the largest. NaN: minus zero.
      {kFloat4E2M1FN, 7.0f, 7},
      {kFloat4E2M1FN, -1e30f, 0xF},
      {kFloat4E2M1FN, INFINITY, 7},
      {kFloat4E2M1FN, kNan, 8},
      {kFloat4E2M1FN, -kNan, 8},
      {kFloat4E2M1FN, 0.25f, 0},
      {kFloat4E2M1FN, -0.2f, 8},
      {kFloat4E2M1FN, 0.75f, 2},
      {kFloat6E2M3FN, 7.75f, 0x1F},
      {kFloat6E2M3FN, -INFINITY, 0x3F},
      {kFloat6E3M2FN, 30.0f, 0x1F},
      {kFloat6E3M2FN, kNan, 0x20},
      {kFloat6E3M2FN, 0.03125f, 0},
      {kFloat6E3M2FN, -1e-9f, 0x20},
      // Rounded once, not to float first.
      {kFloat4E2M1FN, 0.25 + 1e-12, 1},
      {kFloat16, 1.00048828125 + 1e-12, 0x3C01},
      {kBfloat16, 1.00390625 + 1e-12, 0x3F81},
      {kFloat16, 1e-300, 0},
      {kFloat16, 5e-324, 0},
      {kBfloat16, -1e300, 0xFF80},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(EncodeFloat(row.format, row.value), row.bits)
        << row.value << " in row " << &row - kRows;
  }
}

TEST(Half, Range) {
  const struct {
    FloatFormat format;
    double value;
    bool want;
  } kRows[] = {
      {kFloat4E2M1FN, 6.99, true},      {kFloat4E2M1FN, -7, false},
      {kFloat4E2M1FN, INFINITY, false}, {kFloat4E2M1FN, NAN, false},
      {kFloat6E2M3FN, 7.74, true},      {kFloat6E2M3FN, 7.75, false},
      {kFloat6E3M2FN, -29.9, true},     {kFloat6E3M2FN, 30, false},
      {kFloat16, 65519, true},          {kFloat16, 65520, false},
      {kFloat16, INFINITY, true},       {kFloat16, 1e39, false},
      {kFloat8E4M3FN, 464, true},       {kFloat8E4M3FN, 464.1, false},
      {kFloat8E4M3FN, -INFINITY, true}, {kFloat8E8M0FNU, 0, true},
      {kFloat8E8M0FNU, -1, false},      {kFloat8E8M0FNU, 1e39, false},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(IsInRange(row.format, row.value), row.want)
        << row.value << " in row " << &row - kRows;
  }
}

}  // namespace
}  // namespace eyrie
