// Tests elementwise imports of the `vmvx` module: values, strides and errors.
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/vmvx/testing/module_fixture.h"

namespace eyrie::hal::vmvx {
namespace {

TEST_F(VmvxModuleTest, Unary) {
  const double inf = std::numeric_limits<double>::infinity();
  const struct {
    const char* name;
    Array in;
    const char* want;
  } kCases[] = {
      {"abs.2d.f32", {'f', {-1.5, 0, 2, -inf}}, "1.5 0 2 inf"},
      {"ceil.2d.f32", {'f', {-1.5, 0.1, 2, -0.9}}, "-1 1 2 -0"},
      {"copy.2d.x8", {'b', {1, -2, 127, -128}}, "1 -2 127 -128"},
      {"copy.2d.x16", {'h', {1, -2, 32767, 4}}, "1 -2 32767 4"},
      {"copy.2d.x32", {'i', {1, -2, 3, 1e9}}, "1 -2 3 1e+09"},
      {"copy.2d.x64", {'l', {1, -2, 3, 1e15}}, "1 -2 3 1e+15"},
      {"ctlz.2d.i32", {'i', {0, 1, -1, 65536}}, "32 31 0 15"},
      {"exp.2d.f32", {'f', {0, -inf, inf, 1}}, "1 0 inf 2.71828"},
      {"floor.2d.f32", {'f', {-1.5, 0.9, 2, -0.1}}, "-2 0 2 -1"},
      {"log.2d.f32", {'f', {1, 0, inf, 2.7182817}}, "0 -inf inf 1"},
      {"neg.2d.f32", {'f', {1, -2, inf, 0.5}}, "-1 2 -inf -0.5"},
      {"rsqrt.2d.f32", {'f', {1, 4, 0.25, inf}}, "1 0.5 2 0"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const Array out = {c.in.type, {9, 9, 9, 9}};
    EXPECT_EQ(Call(c.name, {c.in, 0, 2, 1, out, 0, 2, 1, 2, 2}), c.want);
    EXPECT_EQ(Call(c.name, {c.in, 0, 4, 1, out, 0, 4, 1, 1, 4}), c.want);
    EXPECT_EQ(Call(c.name, {c.in, 4, 0, 0, out, 0, 2, 1, 2, 2}).substr(0, 12),
              "OUT_OF_RANGE");
  }
}

TEST_F(VmvxModuleTest, Binary) {
  const Array a = {'i', {7, -7, 100, 0x0F}};
  const Array b = {'i', {2, 2, -3, 0xFF}};
  const Array f = {'f', {1.5, -2, 0, 8}};
  const Array g = {'f', {0.5, 4, -1, 2}};
  const struct {
    const char* name;
    Array lhs, rhs;
    const char* want;
  } kCases[] = {
      {"add.2d.f32", f, g, "2 2 -1 10"},
      {"div.2d.f32", f, g, "3 -0.5 -0 4"},
      {"mul.2d.f32", f, g, "0.75 -8 -0 16"},
      {"sub.2d.f32", f, g, "1 -6 1 6"},
      {"add.2d.i32", a, b, "9 -5 97 270"},
      {"and.2d.i32", a, b, "2 0 100 15"},
      {"divs.2d.i32", a, b, "3 -3 -33 0"},
      {"divu.2d.i32", a, b, "3 2.14748e+09 0 0"},
      {"mul.2d.i32", a, b, "14 -14 -300 3825"},
      {"or.2d.i32", a, b, "7 -5 -3 255"},
      {"shl.2d.i32", a, b, "28 -28 -2.14748e+09 -2.14748e+09"},
      {"shrs.2d.i32", a, b, "1 -2 0 0"},
      {"shru.2d.i32", a, b, "1 1.07374e+09 0 0"},
      {"sub.2d.i32", a, b, "5 -9 103 -240"},
      {"xor.2d.i32", a, b, "5 -5 -103 240"},
      // Sums wrap.
      {"add.2d.i32", {'i', {2147483647, 1, 1, 1}}, b, "-2.14748e+09 3 -2 256"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const Array out = {c.lhs.type, {9, 9, 9, 9}};
    std::string want = c.want;
    EXPECT_EQ(
        Call(c.name, {c.lhs, 0, 2, 1, c.rhs, 0, 2, 1, out, 0, 2, 1, 2, 2}),
        want);
    // The same in one column, with the other strides.
    EXPECT_EQ(
        Call(c.name, {c.lhs, 0, 1, 4, c.rhs, 0, 1, 4, out, 0, 1, 4, 4, 1}),
        want);
    EXPECT_EQ(Call(c.name, {c.lhs, 0, 1, 1, c.rhs, 0, 1, 1, out, 0, 1, 1, 2, 4})
                  .substr(0, 12),
              "OUT_OF_RANGE");
  }
}

TEST_F(VmvxModuleTest, StridesOffsetsAndSizes) {
  const Array in = {'i', {0, 1, 2, 3, 4, 5, 6, 7}};
  const Array out = {'i', {9, 9, 9, 9, 9, 9, 9, 9}};
  Check({
      // Transposes a 2x3 matrix that begins at element 1.
      {"copy.2d.x32", {in, 1, 1, 3, out, 0, 2, 1, 3, 2}, "1 4 2 5 3 6 9 9"},
      // Repeats an element; repeats a row.
      {"copy.2d.x32", {in, 5, 0, 0, out, 1, 3, 1, 2, 3}, "9 5 5 5 5 5 5 9"},
      {"copy.2d.x32", {in, 2, 0, 1, out, 0, 4, 1, 2, 4}, "2 3 4 5 2 3 4 5"},
      // Writes every second column.
      {"copy.2d.x32", {in, 0, 4, 1, out, 0, 4, 2, 2, 2}, "0 9 1 9 4 9 5 9"},
      // Empty ranges may have any offset.
      {"copy.2d.x32", {in, kBig, 1, 1, out, 0, 1, 1, 0, 4}, "9 9 9 9 9 9 9 9"},
      {"copy.2d.x32", {in, 0, 1, 1, out, -1, 1, 1, 4, 0}, "9 9 9 9 9 9 9 9"},
      // One element past the end; negative numbers; overflowing sums.
      {"copy.2d.x32", {in, 1, 4, 1, out, 0, 4, 1, 2, 4}, "OUT_OF_RANGE"},
      {"copy.2d.x32", {in, 0, 4, 1, out, 1, 4, 1, 2, 4}, "OUT_OF_RANGE"},
      {"copy.2d.x32", {in, -1, 4, 1, out, 0, 4, 1, 1, 1}, "OUT_OF_RANGE"},
      {"copy.2d.x32", {in, 0, -4, 1, out, 0, 4, 1, 1, 1}, "OUT_OF_RANGE"},
      {"copy.2d.x32", {in, 0, 4, -1, out, 0, 4, 1, 1, 1}, "OUT_OF_RANGE"},
      {"copy.2d.x32", {in, 0, 4, 1, out, 0, 4, 1, -1, 1}, "OUT_OF_RANGE"},
      {"copy.2d.x32", {in, 0, 4, 1, out, 0, 4, 1, 1, -1}, "OUT_OF_RANGE"},
      {"copy.2d.x32", {in, kBig, 1, 1, out, 0, 1, 1, 1, 1}, "OUT_OF_RANGE"},
      {"copy.2d.x32", {in, 0, kBig, 1, out, 0, 4, 1, 3, 1}, "OUT_OF_RANGE"},
      {"copy.2d.x32", {in, 0, kBig, kBig, out, 0, 4, 1, 2, 2}, "OUT_OF_RANGE"},
      {"copy.2d.x32", {in, 0, 1, 1, out, 0, 1, 1, kBig, kBig}, "OUT_OF_RANGE"},
      {"copy.2d.x32", {in, 2, kBig, 1, out, 0, 1, 1, 2, 1}, "OUT_OF_RANGE"},
      {"copy.2d.x64", {in, 0, 1, 1, out, 0, 1, 1, 1, 5}, "OUT_OF_RANGE"},
      {"fill.2d.x32", {7, out, 1, 4, 2, 3}, "9 7 7 7 9 7 7 7"},
      {"fill.2d.x32", {7, out, 0, 0, 5, 1}, "7 9 9 9 9 9 9 9"},
      {"fill.2d.x32", {7, out, 1, 4, 2, 4}, "OUT_OF_RANGE"},
      {"fill.2d.x32", {7, out, 0, 1, -2, 4}, "OUT_OF_RANGE"},
  });
  EXPECT_EQ(Call("fill.2d.x32", {7, out, 0, 1, 1, 1}, /*read_only=*/true),
            "PERMISSION_DENIED: The buffer of 32 bytes is read-only and cannot "
            "be written.");
  EXPECT_EQ(Call("copy.2d.x32", {in, 3, 4, 1, out, 0, 4, 1, 2, 2}),
            "OUT_OF_RANGE: The 2x2 elements of 4 bytes of in at offset 3 with "
            "strides 4 and 1 exceed the buffer's size (32 bytes).");
}

TEST_F(VmvxModuleTest, DivisionsWithoutAResult) {
  const Array a = {'i', {-2147483648.0, 5}};
  const Array out = {'i', {9, 9}};
  const struct {
    const char* name;
    Array by;
    bool divides;
  } kCases[] = {{"divs.2d.i32", {'i', {1, 0}}, false},
                {"divs.2d.i32", {'i', {-1, 1}}, false},
                {"divs.2d.i32", {'i', {1, 1}}, true},
                {"divu.2d.i32", {'i', {0, 1}}, false},
                {"divu.2d.i32", {'i', {-1, 1}}, true}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(absl::StrCat(c.name, " row ", &c - kCases));
    const std::string got =
        Call(c.name, {a, 0, 2, 1, c.by, 0, 2, 1, out, 0, 2, 1, 1, 2});
    EXPECT_EQ(got[0] != 'I', c.divides) << got;
  }
}

}  // namespace
}  // namespace eyrie::hal::vmvx
