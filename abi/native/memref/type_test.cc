// Tests function types as text: parsing, and the places of errors.
#include "abi/native/memref/type.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::native {
namespace {

std::string Printed(absl::string_view text) {
  const auto type = ParseMemrefFunctionType(text);
  return type.ok() ? type->ToString() : StatusText(type);
}

TEST(MemrefType, Prints) {
  constexpr const char* kSame[] = {
      "() -> ()",
      "(i1, i8, i16, i32, i64, index, f16, bf16, f32, f64) -> i64",
      "(memref<f32>) -> (memref<4xi8>, memref<2x?x0xindex>)",
      "(memref<*xf32>) -> memref<*xcomplex<f64>>",
      "(memref<?x4xf32, strided<[?, 1], offset: ?>>, index) -> memref<*xf32>",
      "(memref<4x8xbf16, strided<[1, 4], offset: 3>>) -> f32",
      "(memref<f64, strided<[], offset: 2>>) -> ()",
      "(memref<1x2x3x4x5x6x7x8xf8E4M3FN>) -> ()",
      "(memref<9223372036854775807xi1>) -> ()",
  };
  for (const char* text : kSame) EXPECT_EQ(Printed(text), text);
  const struct {
    const char* text;
    const char* want;
  } kOther[] = {
      {" ( f32,f64 )->( ) ", "(f32, f64) -> ()"},
      {"(memref< 2x3 x f32 , strided<[3,1]> >) -> (f32)",
       "(memref<2x3xf32, strided<[3, 1]>>) -> f32"},
      {"(memref<4xf32, 0 : i64>) -> ()", "(memref<4xf32>) -> ()"},
      {"(memref<4xf32, strided<[1]>, 0>) -> ()",
       "(memref<4xf32, strided<[1]>>) -> ()"},
      {"(memref<?x?xf32, offset: ?, strides: [?, 1]>) -> ()",
       "(memref<?x?xf32, strided<[?, 1], offset: ?>>) -> ()"},
      {"(memref<4xf32, offset: 0, strides: [2], 0>) -> ()",
       "(memref<4xf32, strided<[2]>>) -> ()"},
      {"(memref<?x4xf32, affine_map<(d0, d1) -> (d0, d1)>, 0>) -> ()",
       "(memref<?x4xf32>) -> ()"},
      {"(memref<f32, affine_map<() -> ()>>) -> ()", "(memref<f32>) -> ()"},
      {"(memref<?x?xf32, affine_map<(d0, d1)[s0, s1] -> (d0 * s1 + s0 + d1)>>)"
       " -> ()",
       "(memref<?x?xf32, strided<[?, 1], offset: ?>>) -> ()"},
      {"(memref<2x4xf32, affine_map<(i, j) -> (2*j + i * 8 + 3)>>) -> ()",
       "(memref<2x4xf32, strided<[8, 2], offset: 3>>) -> ()"},
      {"(memref<2x4xf32, affine_map<(d0, d1) -> (d1)>>) -> ()",
       "(memref<2x4xf32, strided<[0, 1]>>) -> ()"},
  };
  for (const auto& row : kOther) EXPECT_EQ(Printed(row.text), row.want);
}

TEST(MemrefType, SaysWhereItEnds) {
  const struct {
    const char* text;
    const char* want;
  } kRows[] = {
      {"",
       "INVALID_ARGUMENT: At offset 0 of the function type, '(' is expected, "
       "but nothing follows."},
      {"(f32",
       "INVALID_ARGUMENT: At offset 4 of the function type, ')' is expected, "
       "but nothing follows."},
      {"(f32,) -> ()",
       "INVALID_ARGUMENT: At offset 5 of the function type, an element type is "
       "expected, but ') -> ()' follows."},
      {"(f32) -> f32 x",
       "INVALID_ARGUMENT: At offset 13 of the function type, the end is "
       "expected, but 'x' follows."},
      {"(memref<4f32>) -> ()",
       "INVALID_ARGUMENT: At offset 8 of the function type, an element type is "
       "expected, but '4f32>) -> ()' follows."},
      {"(memref<9223372036854775808xf32>) -> ()",
       "INVALID_ARGUMENT: At offset 8 of the function type: Dimension 0 "
       "('9223372036854775808') of '9223372036854775808xf32' exceeds 64 "
       "bits."},
      {"(memref<1x1x1x1x1x1x1x1x1xf32>) -> ()",
       "INVALID_ARGUMENT: At offset 8 of the function type, a memref of at "
       "most "
       "8 dimensions is expected, but '1x1x1x1x1x1x1x1x1xf32>) ...' "
       "follows."},
      {"(memref<4xf32, strided<[1, 2]>>) -> ()",
       "INVALID_ARGUMENT: At offset 29 of the function type, a layout of 1 "
       "strides, as many as there are dimensions, is expected, but '>>) -> ()' "
       "follows."},
      {"(memref<*xf32, strided<[1]>>) -> ()",
       "INVALID_ARGUMENT: At offset 26 of the function type, a layout of 0 "
       "strides, as many as there are dimensions, is expected, but '>>) -> ()' "
       "follows."},
      {"(memref<4xf32, strided<[-1]>>) -> ()",
       "UNIMPLEMENTED: At offset 25 of the function type, a negative bound, "
       "which is not supported ('1]>>) -> ()')."},
      {"(memref<4xf32, 3>) -> ()",
       "UNIMPLEMENTED: At offset 15 of the function type, a layout or memory "
       "space other than strided<...> and 0 ('3>) -> ()')."},
      {"(memref<4xf32, affine_map<(d0) -> (d0 mod 2)>>) -> ()",
       "INVALID_ARGUMENT: At offset 38 of the function type, ')' is expected, "
       "but 'mod 2)>>) -> ()' follows."},
      {"(memref<4xf32, affine_map<(d0, d1) -> (d0)>>) -> ()",
       "INVALID_ARGUMENT: At offset 39 of the function type, a map of 1 "
       "dimensions is expected, but 'd0)>>) -> ()' follows."},
      {"(memref<4xf32, affine_map<(d0) -> (d0 + d0)>>) -> ()",
       "UNIMPLEMENTED: At offset 42 of the function type, an affine map with a "
       "dimension or an offset twice (')>>) -> ()')."},
      {"(memref<4xf32, affine_map<(d0) -> (d0 * x)>>) -> ()",
       "UNIMPLEMENTED: At offset 41 of the function type, an affine map that "
       "is "
       "neither the identity nor a sum of an offset and of each dimension "
       "times "
       "a stride (')>>) -> ()')."},
      {"(memref<4xf32, #map>) -> ()",
       "UNIMPLEMENTED: At offset 15 of the function type, a layout or memory "
       "space other than strided<...> and 0 ('#map>) -> ()')."},
      {"(memref<4xi4>) -> ()",
       "UNIMPLEMENTED: At offset 10 of the function type, a type that the "
       "memref convention does not support here ('i4>) -> ()')."},
      {"(vector<4xf32>) -> ()",
       "UNIMPLEMENTED: At offset 1 of the function type, a type that the "
       "memref convention does not support here ('vector<4xf32>) -> ()')."},
      {"(complex<f32>) -> ()",
       "UNIMPLEMENTED: Before offset 13 of the function type, a scalar of "
       "complex<f32>, which calling conventions cannot carry."},
  };
  for (const auto& row : kRows) EXPECT_EQ(Printed(row.text), row.want);
}

TEST(MemrefType, Limits) {
  std::string many = "(f32";
  for (size_t i = 1; i < MemrefFunctionType::kMaxValues; ++i) many += ", f32";
  EXPECT_EQ(Printed(many + ") -> ()"), many + ") -> ()");
  EXPECT_EQ(
      Printed(many + ", f32) -> ()"),
      "INVALID_ARGUMENT: At offset 320 of the function type, no type past "
      "64 is expected, but ' f32) -> ()' follows.");
  EXPECT_EQ(Printed(std::string(70'000, ' ')),
            "INVALID_ARGUMENT: The function type has 70000 bytes; the limit is "
            "65536.");
}

}  // namespace
}  // namespace eyrie::native
