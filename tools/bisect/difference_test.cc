// Tests how numbers are compared, and how their types are guessed.
#include "tools/bisect/difference.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tools/bisect/bytes.h"
#include "tools/bisect/element_guess.h"

namespace eyrie::tools {
namespace {

using hal::ElementType;

template <typename T>
std::vector<uint8_t> BytesOf(const std::vector<T>& numbers) {
  std::vector<uint8_t> bytes(numbers.size() * sizeof(T));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

TEST(GuessElement, ByNameAndBytes) {
  const auto floats = BytesOf<float>({0, 1.5, -3, 1e-6F});
  const auto doubles = BytesOf<double>({0.1, 1.5, -3e5, 1e-6});
  const auto words = BytesOf<int32_t>({1, 2, 3, 400});
  const struct {
    const char* kernel;
    std::vector<uint8_t> bytes;
    const char* want;
  } kCases[] = {
      {"main_dispatch_3_matmul_4x8x16_f32", floats, "f32"},
      {"main_dispatch_3_matmul_4x8_i8xi8xi32", words, "i32"},
      {"main_dispatch_0_elementwise_4_i32xf32", words, "i32"},
      {"main_dispatch_0_elementwise_4_f32xi32", floats, "f32"},
      {"main_dispatch_0_elementwise_4_f32xi32", words, "i32"},
      {"f64_dispatch_0_elementwise_4_f32", floats, "f32"},
      {"softmax_10xf16_dispatch_tensor_store", floats, "f16"},
      {"elementwise_4_i1", {1, 0, 1}, "i1"},
      {"elementwise_4_f32", {1, 0, 1}, "i8"},  // too few bytes for a float
      {"#3", floats, "f32"},
      {"#3", doubles, "f64"},
      {"#3", words, "i32"},
      {"", {7}, "i8"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(hal::ElementTypeName(GuessElement(c.kernel, c.bytes)), c.want)
        << c.kernel;
  }
}

TEST(GuessShape, DimensionsThatFit) {
  const struct {
    const char* kernel;
    int64_t count;
    const char* want;
  } kCases[] = {
      {"main_dispatch_3_matmul_4x8x16_f32", 32, "4x8xf32"},
      {"main_dispatch_3_reduction_4x8x16_f32", 512, "4x8x16xf32"},
      {"main_dispatch_3_batch_matmul_2x4x8x16_f32", 64, "2x4x8xf32"},
      {"main_dispatch_3_matmul_4x8x16_f32", 33, "33xf32"},
      {"matmul_Dx8_f32", 16, "16xf32"},
      {"m_0x99999999999999999999x9999999999999_f32", 3, "3xf32"},
      {"#3", 5, "5xf32"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(GuessShape(c.kernel, c.count, ElementType::kFloat32), c.want);
  }
}

TEST(Compare, FloatsWithATolerance) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const struct {
    std::vector<float> good;
    std::vector<float> bad;
    const char* want;
  } kCases[] = {
      {{1, 2}, {1, 2}, "0 of 2 elements differ"},
      {{1, 2}, {1.00005F, 2}, "0 of 2 elements differ; the largest error is 4"},
      {{1, 2},
       {1, 2.5},
       "1 of 2 elements differ; the largest error is 0.5 (2.1e+06 ulps), at "
       "element 1: 2.5 instead of 2"},
      {{0}, {-0.F}, "0 of 1 elements differ"},
      {{nan}, {-nan}, "0 of 1 elements differ"},
      {{inf}, {inf}, "0 of 1 elements differ"},
      {{1, nan, 3},
       {1, 2, 9},
       "2 of 3 elements differ; the largest error is nan, at element 1: 2 "
       "instead of nan"},
      // Zeros have the tolerance of the middle number, not of a mask.
      {{1, 2, 3, 0}, {1, 2, 3, 1e-4F}, "0 of 4"},
      {{1, 2, 3, 0}, {1, 2, 3, 1e-3F}, "1 of 4"},
      {{1, 2, -1e9F, 0}, {1, 2, -1e9F, 1}, "1 of 4"},
  };
  for (const auto& c : kCases) {
    const std::string text = ToText(
        Compare(ElementType::kFloat32, BytesOf(c.good), BytesOf(c.bad), 1e-4));
    EXPECT_EQ(text.substr(0, std::strlen(c.want)), c.want);
  }
}

TEST(Compare, OtherTypes) {
  EXPECT_EQ(ToText(Compare(ElementType::kInt8, BytesOf<int8_t>({-1, 5}),
                           BytesOf<int8_t>({-3, 5}), 1)),
            "1 of 2 elements differ; the largest error is 2, at element 0: -3 "
            "instead of -1");
  EXPECT_EQ(ToText(Compare(ElementType::kUint16, BytesOf<uint16_t>({65535}),
                           BytesOf<uint16_t>({0}), 1)),
            "1 of 1 element differs; the largest error is 65535, at element 0: "
            "0 instead of 65535");
  // 1 and 1.001 of f16, which has 10 bits of fraction.
  EXPECT_EQ(Compare(ElementType::kFloat16, BytesOf<uint16_t>({0x3C00}),
                    BytesOf<uint16_t>({0x3C01}), 1e-4)
                .differing,
            0);
  EXPECT_EQ(Compare(ElementType::kFloat16, BytesOf<uint16_t>({0x3C00}),
                    BytesOf<uint16_t>({0x3C10}), 1e-4)
                .differing,
            1);
}

TEST(ChangedRanges, BeginAligned) {
  const std::vector<uint8_t> before(4096, 0);
  const struct {
    std::vector<size_t> changed;
    std::vector<std::pair<uint64_t, uint64_t>> want;
  } kCases[] = {
      {{}, {}},
      {{0}, {{0, 1}}},
      {{70, 100}, {{64, 101}}},
      {{10, 200}, {{0, 201}}},  // a small gap
      {{10, 3000}, {{0, 11}, {2944, 3001}}},
      {{4095}, {{4032, 4096}}},
  };
  for (const auto& c : kCases) {
    std::vector<uint8_t> after = before;
    for (const size_t at : c.changed) after[at] = 1;
    std::vector<std::pair<uint64_t, uint64_t>> got;
    for (const ByteRange& range : ChangedRanges(before, after)) {
      got.emplace_back(range.begin, range.end);
    }
    EXPECT_EQ(got, c.want);
  }
}

}  // namespace
}  // namespace eyrie::tools
