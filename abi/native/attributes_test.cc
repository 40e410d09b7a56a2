// Attribute texts: what they give, what they are refused for, round trips.
#include "abi/native/attributes.h"

#include <cstring>
#include <string>

#include "abi/native/xla/types.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace eyrie::native {
namespace {

struct Case {
  const char* text;
  const char* want;  // the text again, or the error
};

TEST(Attributes, ReadAndWritten) {
  constexpr Case kCases[] = {
      {"axis=1:i32", "axis=1:s32"},
      {"b=1:u8&a=2:u8", "a=2:u8&b=1:u8"},
      {"mode=near", "mode=near"},
      {"empty=", "empty="},
      {"text=a%26b%00c%20d", "text=a%26b%00c%20d"},
      {"a%3Db=c", "a%3Db=c"},
      {"p=true:pred&q=0:i1", "p=true:pred&q=false:pred"},
      {"x=-128:i8&y=255:u8", "x=-128:s8&y=255:u8"},
      {"x=-9223372036854775808:i64", "x=-9223372036854775808:s64"},
      {"x=18446744073709551615:u64", "x=18446744073709551615:u64"},
      {"f=1.5:f32&g=1e300:f64", "f=1.5:f32&g=1.0000000000000001e+300:f64"},
      {"f=-inf:f32", "f=-inf:f32"},
      {"h=0.5:f16&b=3:bf16", "b=3:bf16&h=0.5:f16"},
      {"c=(1,-2):c64&d=(0.5,0):c128", "c=(1,-2):c64&d=(0.5,0):c128"},
      {"dims=[1,2,3]:i64", "dims=[1,2,3]:s64"},
      {"none=[]:u8", "none=[]:u8"},
      {"cs=[(1,2),(3,4)]:c64", "cs=[(1,2),(3,4)]:c64"},
      {"d={}", "d={}"},
      {"d={x=1:i32&e={t=deep}}&z=1:i8", "d={e={t=deep}&x=1:s32}&z=1:s8"},
      {"t=@k_table:ptr", "t=@k_table:ptr"},
  };
  for (const Case& c : kCases) {
    const auto attributes = ParseAttributes(c.text);
    ASSERT_TRUE(attributes.ok()) << c.text << ": " << attributes.status();
    const std::string text = AttributesText(*attributes);
    EXPECT_EQ(text, c.want) << c.text;
    const auto again = ParseAttributes(text);
    ASSERT_TRUE(again.ok()) << text << ": " << again.status();
    EXPECT_EQ(*again, *attributes) << text;
  }
}

TEST(Attributes, Refused) {
  constexpr Case kCases[] = {
      {"", "The end stands where a name is expected at byte 0"},
      {"a", "The end stands where '=' is expected at byte 1"},
      {"=1", "'=' stands where a name is expected at byte 0"},
      {"a=1:i32&", "The end stands where a name is expected at byte 8"},
      {"a=1:i32&a=2:i32", "'a' stands for the second time at byte 15"},
      {"a=1:", "The unknown type '' stands at byte 4"},
      {"a=1:i7", "The unknown type 'i7' stands at byte 6"},
      {"a=1:token", "A token as an attribute stands at byte 9"},
      {"a=b]", "']' stands where '&' or the end is expected at byte 3"},
      {"a=%4", "'%' without two hexadecimal digits stands at byte 2"},
      {"a=[1,2", "The end stands where ']' is expected at byte 6"},
      {"a=[1,2]", "The end stands where ':' and the elements' type is"},
      {"a=[1,]:i8", "A ',' without a number behind it stands"},
      {"a={b=1:i8", "The end stands where '&' or '}' is expected"},
      {"a=@:ptr", "':' stands where a symbol's name is expected"},
      {"a=@f:i64", "':' stands where ':ptr' is expected"},
      {"a=256:u8", "'256' is no number that u8 holds."},
      {"a=-1:u64", "'-1' is no number that u64 holds."},
      {"a=1.5:i32", "'1.5' is no number that s32 holds."},
      {"a=1e39:f32", "'1e39' is no number that f32 holds."},
      {"a=1e6:f16", "'1e6' is no number that f16 holds."},
      {"a=2:pred", "'2' is no number that pred holds."},
      {"a=1:c64", "'1' is no number that c64 holds."},
      {"a=1:f8E5M2", "'1' is no number that f8E5M2 holds."},
  };
  for (const Case& c : kCases) {
    const absl::Status status = ParseAttributes(c.text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.text;
    EXPECT_NE(std::string(status.message()).find(c.want), std::string::npos)
        << c.text << ": " << status.message();
  }
  std::string deep;
  for (int i = 0; i < 18; ++i) deep += "a={";
  EXPECT_FALSE(ParseAttributes(deep).ok());
}

TEST(FfiTypes, OfTensors) {
  constexpr struct {
    hal::ElementType element;
    const char* want;  // what a handler sees
    const char* also;  // what it may be declared as
  } kCases[] = {
      {hal::ElementType::kBool8, "pred", "pred"},
      {hal::ElementType::kInt8, "s8", "u8"},
      {hal::ElementType::kSint32, "s32", "s32"},
      {hal::ElementType::kInt64, "s64", "u64"},
      {hal::ElementType::kUint16, "u16", "u16"},
      {hal::ElementType::kFloat16, "f16", "f16"},
      {hal::ElementType::kBfloat16, "bf16", "bf16"},
      {hal::ElementType::kComplex128, "c128", "c128"},
      {hal::ElementType::kFloat8E8M0FNU, "f8E8M0FNU", "f8E8M0FNU"},
  };
  for (const auto& c : kCases) {
    EXPECT_STREQ(InfoOf(FfiTypeOf(c.element)).name, c.want);
    EXPECT_TRUE(IsTakenAs(c.element, *ParseFfiType(c.also))) << c.also;
  }
  EXPECT_EQ(FfiTypeOf(hal::ElementType::kInt4), FfiType::kNone);
  EXPECT_FALSE(IsTakenAs(hal::ElementType::kUint8, FfiType::kS8));
  EXPECT_FALSE(IsTakenAs(hal::ElementType::kInt8, FfiType::kS16));
  EXPECT_FALSE(IsTakenAs(hal::ElementType::kInt32, FfiType::kF32));
}

}  // namespace
}  // namespace eyrie::native
