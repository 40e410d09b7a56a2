// Tests imports of the `vmvx` module on tiled matrices: products, packing and
// errors.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "hal/vmvx/testing/module_fixture.h"

namespace eyrie::hal::vmvx {
namespace {

// Returns a product of tiled matrices by its definition, for small integers.
std::vector<double> Product(const std::vector<double>& lhs,
                            const std::vector<double>& rhs,
                            std::vector<double> out, const int64_t (&size)[6],
                            bool accumulate) {
  const auto& [m, n, k, m0, n0, k0] = size;
  for (int64_t at = 0; at < m * n * m0 * n0; ++at) {
    const int64_t j0 = at % n0, i0 = at / n0 % m0;
    const int64_t j = at / (n0 * m0) % n, i = at / (n0 * m0 * n);
    double sum = accumulate ? out[at] : 0;
    for (int64_t d = 0; d < k * k0; ++d) {
      sum += lhs[((i * k + d / k0) * m0 + i0) * k0 + d % k0] *
             rhs[((j * k + d / k0) * n0 + j0) * k0 + d % k0];
    }
    out[at] = sum;
  }
  return out;
}

TEST_F(VmvxModuleTest, Mmt4d) {
  enum { kF32 = 1, kI8 = 2, kI16 = 7, kAccumulate = 0x100 };
  const struct {
    char in, out;
    int flags;
    int64_t size[6];  // m n k, m0 n0 k0
  } kCases[] = {
      {'f', 'f', kF32, {2, 3, 4, 8, 8, 1}},
      {'f', 'f', kF32, {2, 3, 4, 8, 4, 1}},
      {'f', 'f', kF32 | kAccumulate, {2, 3, 4, 16, 16, 1}},
      {'f', 'f', kF32 | kAccumulate, {1, 1, 1, 8, 8, 1}},
      {'f', 'f', kF32 | 0x200, {2, 2, 2, 3, 5, 2}},
      {'f', 'f', kF32, {2, 1, 0, 8, 8, 1}},
      {'f', 'f', kF32 | kAccumulate, {2, 1, 0, 2, 2, 1}},
      {'b', 'i', kI8, {2, 3, 4, 8, 8, 2}},
      {'b', 'i', kI8 | kAccumulate, {1, 2, 3, 4, 2, 4}},
      {'h', 'i', kI16, {2, 2, 2, 2, 2, 2}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(absl::StrCat("row ", &c - kCases));
    const auto& [m, n, k, m0, n0, k0] = c.size;
    Array lhs = {c.in, {}}, rhs = {c.in, {}}, out = {c.out, {}};
    for (int64_t i = 0; i < m * k * m0 * k0; ++i) {
      lhs.values.push_back(static_cast<double>(i * 5 % 11 - 4));
    }
    for (int64_t i = 0; i < n * k * n0 * k0; ++i) {
      rhs.values.push_back(static_cast<double>(i * 7 % 13 - 6));
    }
    for (int64_t i = 0; i < m * n * m0 * n0; ++i) {
      out.values.push_back(static_cast<double>(i % 3));
    }
    const std::vector<double> want =
        Product(lhs.values, rhs.values, out.values, c.size,
                (c.flags & kAccumulate) != 0);
    std::vector<std::string> texts;
    for (const double value : want) texts.push_back(absl::StrCat(value));
    EXPECT_EQ(Call("mmt4d", {lhs, 0, k * m0 * k0, rhs, 0, k * n0 * k0, out, 0,
                             n * m0 * n0, m, n, k, m0, n0, k0, c.flags}),
              absl::StrJoin(texts, " "));
  }
}

TEST_F(VmvxModuleTest, Mmt4dRefuses) {
  const Array a = {'f', {1, 2, 3, 4}};
  const Array b = {'f', {5, 6, 7, 8}};
  const Array c = {'f', {0, 0, 0, 0}};
  Check({
      {"mmt4d", {a, 0, 1, b, 0, 1, c, 0, 2, 2, 2, 1, 1, 1, 1, 1}, "5 6 10 12"},
      // Each operand past its end; overflowing strides and sizes.
      {"mmt4d", {a, 3, 1, b, 0, 1, c, 0, 2, 2, 2, 1, 1, 1, 1, 1}, "OUT_OF_RA"},
      {"mmt4d", {a, 0, 1, b, 0, 4, c, 0, 2, 2, 2, 1, 1, 1, 1, 1}, "OUT_OF_RA"},
      {"mmt4d", {a, 0, 1, b, 0, 1, c, 1, 2, 2, 2, 1, 1, 1, 1, 1}, "OUT_OF_RA"},
      {"mmt4d", {a, 0, -1, b, 0, 1, c, 0, 2, 2, 2, 1, 1, 1, 1, 1}, "OUT_OF_R"},
      {"mmt4d",
       {a, 0, 0, b, 0, 0, c, 0, 0, kBig, kBig, kBig, 1, 1, 1, 1},
       "OUT_OF_RANGE"},
      {"mmt4d", {a, 0, 1, b, 0, 1, c, 0, 2, -1, 2, 1, 1, 1, 1, 1}, "OUT_OF_R"},
      {"mmt4d", {a, 0, 1, b, 0, 1, c, 0, 2, 1, 2, -1, 1, 1, 1, 1}, "OUT_OF_R"},
      {"mmt4d", {a, 0, 1, b, 0, 1, c, 0, 2, 1, 1, 1, -1, 1, 1, 1}, "OUT_OF_R"},
      {"mmt4d", {a, 0, 1, b, 0, 1, c, 0, 2, 1, 1, 1, 1, 2000, 1, 1}, "OUT_OF"},
      // Unsupported types and flags.
      {"mmt4d", {a, 0, 1, b, 0, 1, c, 0, 2, 1, 1, 1, 1, 1, 1, 3}, "INVALID_AR"},
      {"mmt4d",
       {a, 0, 1, b, 0, 1, c, 0, 2, 1, 1, 1, 1, 1, 1, 0x801},
       "INVALID_ARGUMENT"},
      // Empty products.
      {"mmt4d", {a, kBig, 1, b, 0, 1, c, 0, 2, 0, 2, 1, 1, 1, 1, 1}, "0 0 0 0"},
      {"mmt4d",
       {a, kBig, 1, b, -1, 1, c, 0, 2, 1, 2, 0, 1, 1, 1, 1},
       "0 0 0 0"},
  });
}

TEST_F(VmvxModuleTest, PackAndUnpack) {
  const Array in = {'i', {1, 2, 3, 4, 5, 6}};  // 2x3
  const Array out = {'i', {9, 9, 9, 9, 9, 9, 9, 9}};
  const Array bytes = {'b', {1, 2, 3, 4, 5, 6}};
  const Array halves = {'h', {1, 2, 3, 4, 5, 6}};
  const Array tiles = {'i', {1, 2, 4, 5, 3, 0, 6, 0}};
  const Array matrix = {'i', {9, 9, 9, 9, 9, 9}};
  enum { kI8 = 2, kI32 = 3, kF16 = 4, kInner = 0x100, kOuter = 0x200 };
  const int64_t low = int64_t{0xFFFFFFFF} << 32;
  Check({
      // Releases before 20240724 pass no inner strides.
      {"pack",
       {in, 0, 3, out, 0, 8, 2, 3, 1, 2, 2, 2, 0, kI32},
       "1 2 4 5 3 0 6 0"},
      {"unpack",
       {tiles, 0, 8, matrix, 0, 3, 1, 2, 2, 2, 2, 3, kI32},
       "1 2 3 4 5 6"},
      // A 2x3 matrix to 1x2 tiles of 2x2.
      {"pack",
       {in, 0, 3, 1, out, 0, 8, 4, 2, 3, 1, 2, 2, 2, 0, kI32},
       "1 2 4 5 3 0 6 0"},
      {"pack",
       {in, 0, 3, 1, out, 0, 8, 4, 2, 3, 1, 2, 2, 2, low + 7, kI32},
       "1 2 4 5 3 7 6 7"},
      {"pack",
       {in, 0, 3, 1, out, 0, 8, 4, 2, 3, 1, 2, 2, 2, 0, kI32 | kInner},
       "1 4 2 5 3 6 0 0"},
      {"pack",
       {in, 0, 3, 1, out, 0, 4, 4, 2, 3, 2, 1, 2, 2, 0, kI32 | kOuter},
       "1 2 4 5 3 0 6 0"},
      {"pack",
       {bytes, 0, 3, 1, Array{'b', {0, 0, 0, 0, 0, 0, 0, 0}}, 0, 8, 4, 2, 3, 1,
        2, 2, 2, 7, kI8},
       "1 2 4 5 3 7 6 7"},
      {"pack",
       {halves, 0, 3, 1, Array{'h', {0, 0, 0, 0, 0, 0, 0, 0}}, 0, 8, 4, 2, 3, 1,
        2, 2, 2, 7, kF16},
       "1 2 4 5 3 7 6 7"},
      // All padding; no tiles.
      {"pack",
       {in, 0, 3, 1, out, 0, 8, 4, 0, 3, 1, 2, 2, 2, 5, kI32},
       "5 5 5 5 5 5 5 5"},
      {"pack",
       {in, 0, 3, 1, out, 0, 8, 4, 0, 0, 0, 0, 2, 2, 5, kI32},
       "9 9 9 9 9 9 9 9"},
      {"unpack",
       {tiles, 0, 8, 4, matrix, 0, 3, 1, 1, 2, 2, 2, 2, 3, kI32},
       "1 2 3 4 5 6"},
      {"unpack",
       {tiles, 0, 8, 4, matrix, 0, 1, 2, 1, 2, 2, 2, 2, 3, kI32},
       "1 4 2 5 3 6"},
      {"unpack",
       {tiles, 0, 4, 4, matrix, 0, 3, 1, 2, 1, 2, 2, 2, 3, kI32 | kOuter},
       "1 2 3 4 5 6"},
      {"unpack",
       {tiles, 0, 8, 4, matrix, 0, 2, 1, 1, 2, 2, 2, 0, 2, kI32},
       "9 9 9 9 9 9"},
      // Matrices larger than the tiles; gaps between tiles; ranges past the
      // end;
      // unsupported flags.
      {"pack",
       {in, 0, 3, 1, out, 0, 8, 4, 3, 3, 1, 2, 2, 2, 0, kI32},
       "INVALID_ARGUMENT"},
      {"unpack",
       {tiles, 0, 8, 4, matrix, 0, 3, 1, 1, 1, 2, 2, 2, 3, kI32},
       "INVALID_ARGUMENT"},
      {"pack",
       {in, 0, 3, 1, out, 0, 8, 3, 2, 3, 1, 2, 2, 2, 0, kI32},
       "INVALID_ARGUMENT"},
      {"pack",
       {in, 1, 3, 1, out, 0, 8, 4, 2, 3, 1, 2, 2, 2, 0, kI32},
       "OUT_OF_RANGE"},
      {"pack",
       {in, 0, 3, 1, out, 1, 8, 4, 2, 3, 1, 2, 2, 2, 0, kI32},
       "OUT_OF_RANGE"},
      {"pack",
       {in, 0, 3, 1, out, 0, 8, 4, -1, 3, 1, 2, 2, 2, 0, kI32},
       "OUT_OF_RANGE"},
      {"pack",
       {in, 0, 3, 1, out, 0, 8, 4, 2, 3, -1, 2, 2, 2, 0, kI32},
       "OUT_OF_RANGE"},
      {"pack",
       {in, 0, 3, 1, out, 0, 8, 4, 2, 3, kBig, kBig, kBig, 2, 0, kI32},
       "OUT_OF_RANGE"},
      {"unpack",
       {tiles, 1, 8, 4, matrix, 0, 3, 1, 1, 2, 2, 2, 2, 3, kI32},
       "OUT_OF_RANGE"},
      {"unpack",
       {tiles, 0, 8, 4, matrix, 1, 3, 1, 1, 2, 2, 2, 2, 3, kI32},
       "OUT_OF_RANGE"},
      {"pack",
       {in, 0, 3, 1, out, 0, 8, 4, 2, 3, 1, 2, 2, 2, 0, 0},
       "INVALID_ARGUMENT"},
      {"pack",
       {in, 0, 3, 1, out, 0, 8, 4, 2, 3, 1, 2, 2, 2, 0, 6},
       "INVALID_ARGUMENT"},
      {"pack",
       {in, 0, 3, 1, out, 0, 8, 4, 2, 3, 1, 2, 2, 2, 0, 0x403},
       "INVALID_ARGUMENT"},
  });
}

TEST_F(VmvxModuleTest, TileSizesFitTogether) {
  for (int operation = 1; operation <= 6; ++operation) {
    SCOPED_TRACE(operation);
    std::vector<std::vector<std::string>> roles;
    for (int role = 1; role <= 3; ++role) {
      roles.push_back(absl::StrSplit(
          Call("query_tile_sizes.2d", {256, 256, operation << 8 | role}), ' '));
      ASSERT_EQ(roles.back().size(), 2u);
    }
    EXPECT_EQ(roles[0][0], roles[2][0]);  // M
    EXPECT_EQ(roles[1][0], roles[2][1]);  // N
    EXPECT_EQ(roles[0][1], roles[1][1]);  // K
  }
  for (const int flags : {0, 0x100, 0x104, 0x001, 0x701, -1}) {
    EXPECT_EQ(Call("query_tile_sizes.2d", {1, 1, flags}).substr(0, 16),
              "INVALID_ARGUMENT")
        << flags;
  }
}

}  // namespace
}  // namespace eyrie::hal::vmvx
