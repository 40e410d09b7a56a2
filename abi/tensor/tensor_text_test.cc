// Tests parsing and printing of tensors with tables of text.
#include "abi/tensor/tensor_text.h"

#include <clocale>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::abi {
namespace {

// Parses "shape_and_type=elements" and prints it again. Returns the text or the
// error.
std::string RoundTrip(absl::string_view text, size_t limit = 1024,
                      FloatCase float_case = FloatCase::kUpper) {
  const size_t equals = std::min(text.find('='), text.size());
  const auto spec = hal::TensorType::ParseStatic(text.substr(0, equals));
  if (!spec.ok()) return StatusText(spec);
  const auto size = spec->ByteLength();
  if (!size.ok()) return StatusText(size);
  std::vector<uint8_t> bytes(*size, 0xAA);
  const absl::Status status = ParseElements(
      equals < text.size() ? text.substr(equals + 1) : "", *spec, bytes);
  if (!status.ok()) return StatusText(status);
  std::string out = spec->ToString() + "=";
  AppendElements(bytes, *spec, limit, float_case, out);
  return out;
}

struct Row {
  const char* text;
  const char* want;
};

TEST(TensorText, RoundTrips) {
  const Row kRows[] = {
      {"4xf32=1 2 3 4", "4xf32=1 2 3 4"},
      {"4xf32=[1,2, 3\n4]", "4xf32=1 2 3 4"},
      {"2x2xf32=1 2 3 4", "2x2xf32=[1 2][3 4]"},
      {"2x1x2xi64=1 2 3 9223372036854775807",
       "2x1x2xi64=[[1 2]][[3 9223372036854775807]]"},
      {"3xi8=7", "3xi8=7 7 7"},  // splat
      {"3xi8", "3xi8=0 0 0"},    // zeros
      {"3xi8=", "3xi8=0 0 0"},
      {"f32=3.5", "f32=3.5"},   // rank 0
      {"0x4xf32", "0x4xf32="},  // empty
      {"0xf32=", "0xf32="},
      {"3x0xi32", "3x0xi32=[][][]"},
      {" 2xi32 =1 2", "2xi32=1 2"},
      {"4xf32=nan -inf inf 1e30", "4xf32=NAN -INF INF 1E+30"},
      {"2xf64=inf -Infinity", "2xf64=INF -INF"},
      {"2xf64=1.23456789012345 -0", "2xf64=1.23457 -0"},
      {"3xf32=0x1p-2 +1 .5", "3xf32=0.25 1 0.5"},
      {"4xf16=1.5 65504 inf -nan", "4xf16=1.5 65504 INF NAN"},
      {"3xbf16=1.5 3.14159 inf", "3xbf16=1.5 3.14062 INF"},
      {"3xf16=65504 65519 -inf", "3xf16=65504 65504 -INF"},
      {"4xf8E4M3FN=1 448 0.5 -2", "4xf8E4M3FN=1 448 0.5 -2"},
      {"2xf8E5M2=1.25 57344", "2xf8E5M2=1.25 57344"},
      {"2xf8E5M2FNUZ=1.5 -8", "2xf8E5M2FNUZ=1.5 -8"},
      {"2xf8E4M3FNUZ=1.5 240", "2xf8E4M3FNUZ=1.5 240"},
      {"3xf8E8M0FNU=1 0.25 0", "3xf8E8M0FNU=1 0.25 5.87747E-39"},
      {"5xf4E2M1FN=0.5 -6 1.25 6.9 -0", "5xf4E2M1FN=0.5 -6 1 6 -0"},  // packed
      {"3xf4E2M1FN=-1.5", "3xf4E2M1FN=-1.5 -1.5 -1.5"},
      {"4xf6E2M3FN=0.125 -7.5 1 0.9", "4xf6E2M3FN=0.125 -7.5 1 0.875"},
      {"4xf6E3M2FN=0.0625 -28 1 0.9", "4xf6E3M2FN=0.0625 -28 1 0.875"},
      {"3xf6E3M2FN=-3", "3xf6E3M2FN=-3 -3 -3"},
      {"2x2xf4E2M1FN", "2x2xf4E2M1FN=[0 0][0 0]"},
      {"1xf4E2M1FN=0.250000000001", "1xf4E2M1FN=0.5"},  // rounded once
      {"4xi1=0 1 true false", "4xi1=00 01 01 00"},
      {"2xi1=01 00", "2xi1=01 00"},  // the printed format
      {"3xi8=-128 255 0x7F", "3xi8=-128 -1 127"},
      {"2xsi16=-32768 32767", "2xsi16=-32768 32767"},
      {"2xui8=0 255", "2xui8=0 255"},
      {"2xui64=18446744073709551615 1", "2xui64=18446744073709551615 1"},
      {"2xi64=-9223372036854775808 18446744073709551615",
       "2xi64=-9223372036854775808 -1"},
      {"5xi4=-8 7 1 15 0", "5xi4=-8 7 1 -1 0"},  // packed
      {"5xi4=3", "5xi4=3 3 3 3 3"},
      {"3xi2=1 -1 -2", "3xi2=1 -1 -2"},
      {"2xcf64=1+2i -0.5", "2xcf64=0000803F00000040 000000BF00000000"},
      {"1xcf64=-1.5e1-2i", "1xcf64=000070C1000000C0"},
      {"1xcf64=3i", "1xcf64=0000000000004040"},
      {"1xcf64=0000803F00000040", "1xcf64=0000803F00000040"},
      {"2xcomplex<f32>=1", "2xcf64=0000803F00000000 0000803F00000000"},
      {"2x*16=beef 0001", "2x*16=BEEF 0001"},
      {"2xx32=DEADBEEF", "2x*32=DEADBEEF DEADBEEF"},
  };
  for (const Row& row : kRows) EXPECT_EQ(RoundTrip(row.text), row.want);
}

TEST(TensorText, Errors) {
  const Row kRows[] = {
      {"4xf32=1 two 3 4", "INVALID_ARGUMENT: Element 1 'two' is not a number."},
      {"4xf32=1 2 3", "OUT_OF_RANGE: 3 elements are given; 4xf32 has 4."},
      {"2xf32=1 2 3 4", "OUT_OF_RANGE: 4 elements are given; 2xf32 has 2."},
      {"0xf32=1", "OUT_OF_RANGE: 1 element is given; 0xf32 has 0."},
      {"2xi8=1 300",
       "INVALID_ARGUMENT: Element 1 '300' does not fit i8 (-128 to 255)."},
      {"2xsi8=1 200",
       "INVALID_ARGUMENT: Element 1 '200' does not fit si8 (-128 to 127)."},
      {"1xui8=-1",
       "INVALID_ARGUMENT: Element 0 '-1' does not fit ui8 (0 to 255)."},
      {"1xi32=1.5",
       "INVALID_ARGUMENT: Element 0 '1.5' is not a whole number, as i32 "
       "needs."},
      {"2xf32=1 1e39",
       "INVALID_ARGUMENT: Element 1 '1e39' is out of the range of f32."},
      {"1xf64=-1E400",
       "INVALID_ARGUMENT: Element 0 '-1E400' is out of the range of f64."},
      {"1xf16=1e400",
       "INVALID_ARGUMENT: Element 0 '1e400' is out of the range of f16."},
      {"2xf16=1 65520",
       "INVALID_ARGUMENT: Element 1 '65520' is out of the range of f16."},
      {"1xbf16=-3.4e38",
       "INVALID_ARGUMENT: Element 0 '-3.4e38' is out of the range of bf16."},
      {"1xbf16=1e39",
       "INVALID_ARGUMENT: Element 0 '1e39' is out of the range of bf16."},
      {"1xf8E5M2=61440",
       "INVALID_ARGUMENT: Element 0 '61440' is out of the range of f8E5M2."},
      {"1xf8E4M3FN=465",
       "INVALID_ARGUMENT: Element 0 '465' is out of the range of f8E4M3FN."},
      {"1xf8E4M3FNUZ=1000",
       "INVALID_ARGUMENT: Element 0 '1000' is out of the range of "
       "f8E4M3FNUZ."},
      {"2xf4E2M1FN=1 7",
       "INVALID_ARGUMENT: Element 1 '7' is out of the range of f4E2M1FN."},
      {"1xf4E2M1FN=inf",
       "INVALID_ARGUMENT: Element 0 'inf' is out of the range of f4E2M1FN."},
      {"1xf6E2M3FN=nan",
       "INVALID_ARGUMENT: Element 0 'nan' is out of the range of f6E2M3FN."},
      {"1xf6E3M2FN=-30",
       "INVALID_ARGUMENT: Element 0 '-30' is out of the range of f6E3M2FN."},
      {"1xf8E8M0FNU=-1",
       "INVALID_ARGUMENT: Element 0 '-1' is out of the range of f8E8M0FNU."},
      {"1xcf64=1-1e39i",
       "INVALID_ARGUMENT: Element 0 '1-1e39i' is out of the range of cf64."},
      {"1xcf128=1e400",
       "INVALID_ARGUMENT: Element 0 '1e400' is out of the range of cf128."},
      {"1xi32=1z", "INVALID_ARGUMENT: Element 0 '1z' is not a number."},
      {"1xi8=0x", "INVALID_ARGUMENT: Element 0 '0x' is not a number."},
      {"1xi8=0x+1", "INVALID_ARGUMENT: Element 0 '0x+1' is not a number."},
      {"1xi8=0x0x1", "INVALID_ARGUMENT: Element 0 '0x0x1' is not a number."},
      {"2xi1=0 2",
       "INVALID_ARGUMENT: Element 1 '2' is not a boolean (0, 1, true or "
       "false)."},
      {"1x*16=12",
       "INVALID_ARGUMENT: Element 0 '12' is not 4 hexadecimal digits."},
      {"1xcf64=1+2k", "INVALID_ARGUMENT: Element 0 '1+2k' is not a number."},
      {"4xf99=1",
       "INVALID_ARGUMENT: Unknown element type 'f99'; did you mean f16, f32 or "
       "f64?"},
      {"?x4xf32=1",
       "INVALID_ARGUMENT: Dimension 0 ('?') of '?x4xf32' is not a whole "
       "number."},
      {"4x-2xf32",
       "INVALID_ARGUMENT: Dimension 1 ('-2') of '4x-2xf32' is not a whole "
       "number."},
      {"99999999999999999999xf32",
       "INVALID_ARGUMENT: Dimension 0 ('99999999999999999999') of "
       "'99999999999999999999xf32' exceeds 64 bits."},
      {"4xindex=1",
       "INVALID_ARGUMENT: Unknown element type 'index'; did you mean i64?"},
      {"4xint8=1",
       "INVALID_ARGUMENT: Unknown element type 'int8'; did you mean i8?"},
      {"4x", "INVALID_ARGUMENT: '4x' has no element type, as in 4x2xf32."},
      {"3.14",
       "INVALID_ARGUMENT: '3.14' has no shape and element type, as in "
       "4x2xf32=1."},
      {"99999999999x99999999999xf32",
       "RESOURCE_EXHAUSTED: The number of elements of "
       "99999999999x99999999999xf32 exceeds 64 bits."},
      {"4611686018427387904xf32",
       "RESOURCE_EXHAUSTED: The size of 4611686018427387904xf32 exceeds 64 "
       "bits."},
  };
  for (const Row& row : kRows) EXPECT_EQ(RoundTrip(row.text), row.want);
}

TEST(TensorText, Limits) {
  const struct {
    const char* text;
    size_t limit;
    const char* want;
  } kRows[] = {
      {"2000xf32=1.5", 5, "2000xf32=1.5 1.5 1.5 1.5 1.5..."},
      {"2x3xi8=1 2 3 4 5 6", 4, "2x3xi8=[1 2 3][4...]"},
      {"2x3xi8=1 2 3 4 5 6", 3, "2x3xi8=[1 2 3][...]"},
      {"2xi8=1 2", 0, "2xi8=..."},
      {"2xi8=1 2", 2, "2xi8=1 2"},
      {"5xi4=1 2 3 4 5", 4, "5xi4=1 2 3 4..."},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(RoundTrip(row.text, row.limit), row.want);
  }
}

// Numbers have a point in every locale.
TEST(TensorText, IgnoresTheLocale) {
  if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr) {
    GTEST_SKIP() << "The locale de_DE.UTF-8 is not installed.";
  }
  EXPECT_EQ(RoundTrip("3xf32=2.5 -1e30 inf"), "3xf32=2.5 -1E+30 INF");
  std::setlocale(LC_NUMERIC, "C");
}

TEST(TensorText, SmallLetters) {
  EXPECT_EQ(RoundTrip("5xf32=nan inf 1e30 -inf -nan", 9, FloatCase::kLower),
            "5xf32=nan inf 1E+30 -inf nan");
}

// Modules may have types without a name. Their elements are printed as bytes.
TEST(TensorText, OddTypes) {
  const struct {
    uint32_t code;
    const char* want;
  } kRows[] = {
      {0x10000007, "2xi7=01 02"},
      {0x10000003, "2xi3=01 02"},
      {0x12000001, "2xui1=1 0"},
      {0x1000000C, "2xi12=0102 0304"},
      {0x11000018, "2xsi24=010203 040506"},
      {0x10000060, "2xi96=0102030405060708090A0B0C 0D0E0F101112131415161718"},
      {0x21000013, "2xf19=010203 040506"},
      {0x13000010, "2x*16=0102 0304"},
      {0x99000007, "2x*7=01 02"},
  };
  std::vector<uint8_t> bytes(64);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(i + 1);
  }
  for (const auto& row : kRows) {
    const hal::TensorType spec = {static_cast<hal::ElementType>(row.code), {2}};
    std::string out = spec.ToString() + "=";
    AppendElements({bytes.data(), *spec.ByteLength()}, spec, 9,
                   FloatCase::kUpper, out);
    EXPECT_EQ(out, row.want);
  }
}

TEST(TensorText, ManyEmptyRowsEnd) {
  // 1024 pairs of brackets, with "..." at each level.
  EXPECT_EQ(RoundTrip("999999999x0xi8").size(), 15 + 2048 + 3);
  EXPECT_LT(RoundTrip("999999999x999999999x0xi8").size(), 2200u);
  EXPECT_LT(RoundTrip("9999x1xi8=1", 1).size(), 6200u);
}

}  // namespace
}  // namespace eyrie::abi
