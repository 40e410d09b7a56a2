// Tests attribute texts: values, errors and round trips.
#include "abi/native/attributes.h"

#include <cstring>
#include <string>

#include "abi/native/ffi_types.h"
#include "abi/native/numbers.h"
#include "absl/strings/match.h"
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

TEST(Attributes, NumbersHaveAPoint) {
  struct Row {
    const char* printed;
    const char* want;
  };
  for (const Row& row : {
           Row{"7", "7"},
           Row{"-7", "-7"},
           Row{"1.5", "1.5"},
           Row{"-1,5", "-1.5"},
           Row{"1\u066b25e-10", "1.25e-10"},
           Row{"1e+39", "1e+39"},
           Row{"inf", "inf"},
           Row{"-inf", "-inf"},
           Row{"-nan", "-nan"},
       }) {
    EXPECT_EQ(WithPoint(row.printed), row.want);
  }
}

TEST(Attributes, Declared) {
  constexpr Case kCases[] = {
      {"", ""},
      {"by=3:f32&mode=near", "by=3:f32&mode=near"},
      {"mode:string&by:i32&dims:[i64]&t:ptr",
       "by:s32&dims:[s64]&mode:string&t:ptr"},
      {"*", "*"},
      {"*&a:pred", "a:pred&*"},
      {"o={x:f32&y=1:u8&*}", "o={x:f32&y=1:u8&*}"},
  };
  for (const Case& c : kCases) {
    const auto declared = ParseDeclaredAttributes(c.text);
    ASSERT_TRUE(declared.ok()) << c.text << ": " << declared.status();
    const std::string text = DeclaredText(*declared);
    EXPECT_EQ(text, c.want) << c.text;
    const auto again = ParseDeclaredAttributes(text);
    ASSERT_TRUE(again.ok()) << text << ": " << again.status();
    EXPECT_EQ(*again, *declared) << text;
  }
  constexpr Case kBad[] = {
      {"a", "Found the end where '=' or ':' is expected at byte 1"},
      {"a:i7", "Unknown type 'i7' at byte 4"},
      {"a:", "Unknown type '' at byte 2"},
      {"a:token", "Unexpected type 'token' at byte 7"},
      {"a:[i32", "Found the end where ']' is expected at byte 6"},
      {"a:i32&a=1:i32", "The name 'a' is repeated at byte 13"},
      {"*a", "Found the end where '=' or ':' is expected at byte 2"},
  };
  for (const Case& c : kBad) {
    const absl::Status status = ParseDeclaredAttributes(c.text).status();
    EXPECT_TRUE(absl::StrContains(status.message(), c.want))
        << c.text << ": " << status;
  }
  EXPECT_FALSE(ParseAttributes("a:i32").ok());
  EXPECT_FALSE(ParseAttributes("*").ok());
}

// Given attributes are merged with declared ones.
TEST(Attributes, Merged) {
  constexpr struct {
    const char* declared;
    const char* given;
    const char* want;
  } kCases[] = {
      {"by=3:f32&mode=near", "", "by=3:f32&mode=near"},
      {"by=3:f32&mode=near", "by=7:f32", "by=7:f32&mode=near"},
      {"by=3:f32", "by=7", "by=7:f32"},
      {"by:f32", "by=-inf", "by=-inf:f32"},
      {"n:u8&p:pred&c:c64", "n=255&p=true&c=(1,2)",
       "c=(1,2):c64&n=255:u8&p=true:pred"},
      {"mode=near", "mode=7", "mode=7"},
      {"dims:[i64]", "dims=[1,2]:i64", "dims=[1,2]:s64"},
      {"t:ptr", "t=@k:ptr", "t=@k:ptr"},
      {"o={x=1:i32&y=2:i32}", "o={y=3}", "o={x=1:s32&y=3:s32}"},
      {"o={x:i32&*}", "o={x=1&z=t}", "o={x=1:s32&z=t}"},
      {"*&a=1:i32", "b=2:i8&d={}", "a=1:s32&b=2:s8&d={}"},
      {"by=3:f32", "by=7:i32",
       "The attribute 'by' of 'f' is declared as f32, and given as s32: "
       "'by=7:s32'."},
      {"by=3:f32", "by=near",
       "The attribute 'by' of 'f' is declared as f32; 'near' is not a number "
       "that "
       "f32 holds."},
      {"n=1:u8", "n=256",
       "The attribute 'n' of 'f' is declared as u8; '256' is not a number that "
       "u8 "
       "holds."},
      {"mode=near", "mode=7:i32",
       "The attribute 'mode' of 'f' is declared as a string, and given as s32: "
       "'mode=7:s32'."},
      {"dims:[i64]", "dims=[1]:i32",
       "The attribute 'dims' of 'f' is declared as an array of s64, and given "
       "as an array of s32: 'dims=[1]:s32'."},
      {"dims:[i64]", "dims=1:i64",
       "The attribute 'dims' of 'f' is declared as an array of s64, and given "
       "as s64: 'dims=1:s64'."},
      {"t:ptr", "t=1:i64",
       "The attribute 't' of 'f' is declared as an address (@symbol:ptr), and "
       "given as s64: 't=1:s64'."},
      {"o={}", "o=x",
       "The attribute 'o' of 'f' is declared as a dictionary, and given as a "
       "string: 'o=x'."},
      {"o={x=1:i32}", "o={x=a}",
       "The attribute 'o.x' of 'f' is declared as s32; 'a' is not a number "
       "that "
       "s32 holds."},
      {"by=3:f32&mode=near", "bj=1:f32",
       "The manifest has no attribute 'bj' of 'f'; it has 'by', f32; 'mode', a "
       "string. Did you mean 'by'?"},
      {"", "by=1:f32",
       "The manifest has no attribute 'by' of 'f'; there are none."},
      {"o={x=1:i32}", "o={y=1:i32}",
       "The manifest has no attribute 'o.y' of 'f'; it has 'x', s32. Did you "
       "mean 'x'?"},
      {"by:i32", "", "The import lacks the attribute 'by' of 'f', s32."},
      {"o={x:i32}", "", "The import lacks the attribute 'o.x' of 'f', s32."},
      {"o={x:i32}", "o={}",
       "The import lacks the attribute 'o.x' of 'f', s32."},
  };
  for (const auto& c : kCases) {
    const auto declared = ParseDeclaredAttributes(c.declared);
    ASSERT_TRUE(declared.ok()) << c.declared << ": " << declared.status();
    Attributes given;
    if (*c.given != '\0') given = ParseAttributes(c.given).value();
    const auto merged = MergeAttributes("f", *declared, given);
    EXPECT_EQ(merged.ok() ? AttributesText(*merged)
                          : std::string(merged.status().message()),
              c.want)
        << c.declared << " <- " << c.given;
  }
}

TEST(Attributes, Refused) {
  constexpr Case kCases[] = {
      {"", "Found the end where a name is expected at byte 0"},
      {"a", "Found the end where '=' is expected at byte 1"},
      {"=1", "Found '=' where a name is expected at byte 0"},
      {"a=1:i32&", "Found the end where a name is expected at byte 8"},
      {"a=1:i32&a=2:i32", "The name 'a' is repeated at byte 15"},
      {"a=1:", "Unknown type '' at byte 4"},
      {"a=1:i7", "Unknown type 'i7' at byte 6"},
      {"a=1:token", "Unexpected type 'token' at byte 9"},
      {"a=b]", "Found ']' where '&' or the end is expected at byte 3"},
      {"a=%4", "Expected two hexadecimal digits after '%' at byte 2"},
      {"a=[1,2", "Found the end where ']' is expected at byte 6"},
      {"a=[1,2]", "Found the end where ':' and the elements' type is"},
      {"a=[1,]:i8", "Expected a number after ','"},
      {"a={b=1:i8", "Found the end where '&' or '}' is expected"},
      {"a=@:ptr", "Found ':' where a symbol's name is expected"},
      {"a=@f:i64", "Found ':' where ':ptr' is expected"},
      {"a=256:u8", "'256' is not a number that u8 holds."},
      {"a=-1:u64", "'-1' is not a number that u64 holds."},
      {"a=1.5:i32", "'1.5' is not a number that s32 holds."},
      {"a=1e39:f32", "'1e39' is not a number that f32 holds."},
      {"a=1e6:f16", "'1e6' is not a number that f16 holds."},
      {"a=2:pred", "'2' is not a number that pred holds."},
      {"a=1:c64", "'1' is not a number that c64 holds."},
      {"a=1:f8E5M2", "'1' is not a number that f8E5M2 holds."},
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
    const char* want;  // as a handler sees it
    const char* also;  // how it may be declared
  } kCases[] = {
      {hal::ElementType::kBool8, "pred", "pred"},
      {hal::ElementType::kInt4, "s4", "u4"},
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
  EXPECT_EQ(FfiTypeOf(hal::ElementType::kNone), FfiType::kNone);
  EXPECT_FALSE(IsTakenAs(hal::ElementType::kUint8, FfiType::kS8));
  EXPECT_FALSE(IsTakenAs(hal::ElementType::kInt8, FfiType::kS16));
  EXPECT_FALSE(IsTakenAs(hal::ElementType::kInt32, FfiType::kF32));
}

}  // namespace
}  // namespace eyrie::native
