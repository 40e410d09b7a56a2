// Types of tensors as text, and tensors compared with them.
#include "hal/tensor_type.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::hal {
namespace {

TEST(TensorType, IsReadAndPrinted) {
  const struct {
    const char* text;
    const char* want;         // "": the same text
    const char* static_want;  // "": as `want`
  } kRows[] = {
      {"f32", "", ""},
      {"4x2xf32", "", ""},
      {" 4xi8 ", "4xi8", ""},
      {"2 x 3x complex<f64>", "2x3xcf128", ""},
      {"0x3xcomplex<f32>", "0x3xcf64", ""},
      {"x32", "*32", ""},
      {"*32", "", ""},
      {"4x*32", "", ""},
      {"4xx8", "4x*8", ""},
      {"9223372036854775807xi1", "", ""},
      {"4x?xf32", "",
       "INVALID_ARGUMENT: Dimension 1 ('?') of '4x?xf32' is not a whole "
       "number."},
      {"*xbf16", "",
       "INVALID_ARGUMENT: The dimensions of '*xbf16' are unknown."},
      {"-1xf32",
       "INVALID_ARGUMENT: Dimension 0 ('-1') of '-1xf32' is not a whole "
       "number.",
       ""},
      {"2x4.5xf32",
       "INVALID_ARGUMENT: Dimension 1 ('4.5') of '2x4.5xf32' is not a whole "
       "number.",
       ""},
      {"2xxxf32",
       "INVALID_ARGUMENT: Unknown element type 'xxf32'; did you "
       "mean "
       "f32?",
       ""},
      {"9223372036854775808xi8",
       "INVALID_ARGUMENT: Dimension 0 ('9223372036854775808') of "
       "'9223372036854775808xi8' exceeds 64 bits.",
       ""},
      {"", "INVALID_ARGUMENT: '' has no element type, as in 4x2xf32.", ""},
      {"2x", "INVALID_ARGUMENT: '2x' has no element type, as in 4x2xf32.", ""},
      {"2",
       "INVALID_ARGUMENT: '2' has no shape and element type, as in 4x2xf32=1.",
       ""},
      {"2xf33",
       "INVALID_ARGUMENT: Unknown element type 'f33'; did you mean f32, f16 or "
       "f64?",
       ""},
      {"*x4xf32",
       "INVALID_ARGUMENT: '*x4xf32' has no shape and element type, "
       "as in 4x2xf32=1.",
       ""},
  };
  for (const auto& row : kRows) {
    const std::string want = *row.want == 0 ? row.text : row.want;
    const auto type = TensorType::Parse(row.text);
    EXPECT_EQ(type.ok() ? type->ToString() : StatusText(type), want)
        << row.text;
    const auto fixed = TensorType::ParseStatic(row.text);
    EXPECT_EQ(fixed.ok() ? fixed->ToString() : StatusText(fixed),
              *row.static_want == 0 ? want : row.static_want)
        << row.text;
    if (type.ok()) {
      EXPECT_EQ(type->is_static(), fixed.ok()) << row.text;
    }
  }
}

TEST(TensorType, SaysHowATensorDiffers) {
  const struct {
    const char* type;
    const char* given;
    const char* want;
  } kRows[] = {
      {"4x?xf32", "4x0xf32", ""},
      {"*xf32", "f32", ""},
      {"2xi32", "2xui32", ""},
      {"2xi1", "2xi8", ""},
      {"2xf32", "2x*32", ""},
      {"4xf32", "5xf32", "dimension 0 is 5, expected 4 (4xf32)."},
      {"4x?xf32", "4xf32", "the rank is 1, expected 2 (4x?xf32)."},
      {"f32", "1xf32", "the rank is 1, expected 0 (f32)."},
      {"4xf32", "5xi32", "the element type is i32, expected f32 (4xf32)."},
      {"2xf32", "2x*64", "the element type is *64, expected f32 (2xf32)."},
      {"2xi16", "2xi8", "the element type is i8, expected i16 (2xi16)."},
      {"2xf32", "2xf64",
       "the element type is f64, expected f32 (2xf32). A program written in "
       "f64 is compiled for f32 unless the compiler is given "
       "--iree-input-demote-f64-to-f32=false."},
  };
  for (const auto& row : kRows) {
    const TensorType type = *TensorType::Parse(row.type);
    const TensorType given = *TensorType::ParseStatic(row.given);
    EXPECT_EQ(type.Difference(given.element, given.shape, row.type), row.want);
    EXPECT_EQ(type.Fits(given.element, given.shape), *row.want == 0)
        << row.type << " " << row.given;
    EXPECT_EQ(TensorText(given.shape, given.element), row.given);
  }
  TensorType any = *TensorType::Parse("2x?xf32");
  any.element = ElementType::kNone;
  EXPECT_EQ(any.ToString(), "2x?");
  EXPECT_TRUE(any.Fits(ElementType::kInt8, std::vector<int64_t>{2, 9}));
}

TEST(TensorType, CountsElementsAndBytes) {
  const struct {
    const char* type;
    const char* elements;
    const char* bytes;
  } kRows[] = {
      {"f32", "1", "4"},
      {"3x5xi4", "15", "8"},
      {"0x9223372036854775807x9xi8", "0", "0"},
      {"4294967296x4294967296xi8",
       "RESOURCE_EXHAUSTED: The number of elements of "
       "4294967296x4294967296xi8 exceeds 64 bits.",
       "RESOURCE_EXHAUSTED: The number of elements of "
       "4294967296x4294967296xi8 exceeds 64 bits."},
      {"9223372036854775807xf32", "9223372036854775807",
       "RESOURCE_EXHAUSTED: The size of 9223372036854775807xf32 exceeds 64 "
       "bits."},
  };
  for (const auto& row : kRows) {
    const TensorType type = *TensorType::ParseStatic(row.type);
    const auto elements = type.ElementCount();
    const auto bytes = type.ByteLength();
    EXPECT_EQ(elements.ok() ? absl::StrCat(*elements) : StatusText(elements),
              row.elements);
    EXPECT_EQ(bytes.ok() ? absl::StrCat(*bytes) : StatusText(bytes), row.bytes);
  }
}

}  // namespace
}  // namespace eyrie::hal
