// Tests components of V0 signatures: writing, reading, and errors with their
// bytes.
#include "abi/v0/mangle.h"

#include <cstdint>
#include <limits>
#include <string>

#include "abi/v0/testing/writers.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::abi::v0 {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(SignatureBuilder, Writes) {
  EXPECT_EQ(SignatureBuilder().encoded(), "");
  EXPECT_EQ(SignatureBuilder()
                .Integer(5)
                .Integer(1, 'a')
                .Integer(10, 'z')
                .Integer(-5991, 'x')
                .encoded(),
            "_5a1z10x-5991");
  EXPECT_EQ(SignatureBuilder().Integer(kMin).Integer(kMax).encoded(),
            "_-9223372036854775808_9223372036854775807");
  const struct {
    const char* body;
    const char* want;
  } kSpans[] = {
      {"", "A1!"},
      {"foobar", "A7!foobar"},
      {"12345", "A6!12345"},  // the '!' ends the length
      {"-23", "A4!-23"},
      {"!2345", "A6!!2345"},
      {"!", "A2!!"},
      {"123456789", "A10!123456789"},
      {"\xC3\xA9", "A3!\xC3\xA9"},
  };
  for (const auto& row : kSpans) {
    EXPECT_EQ(SignatureBuilder().Span(row.body, 'A').encoded(), row.want);
  }
  const SignatureBuilder inner = SignatureBuilder().Integer(6);
  EXPECT_EQ(SignatureBuilder().Integer(5).Span(inner, 'X').encoded(),
            "_5X3!_6");
}

// Returns all components: "k7@0"; a span is "A'body'@0+3".
std::string ReadAll(absl::string_view text) {
  std::string out;
  const absl::Status status =
      SignatureParser(text).Visit([&](const Component& component) {
        absl::StrAppend(&out, out.empty() ? "" : " ",
                        absl::string_view(&component.tag, 1));
        if (component.is_span()) {
          absl::StrAppend(&out, "'", absl::CHexEscape(component.body), "'@",
                          component.offset, "+", component.body_offset);
        } else {
          absl::StrAppend(&out, component.integer, "@", component.offset);
        }
        return absl::OkStatus();
      });
  return status.ok() ? out : StatusText(status);
}

TEST(SignatureParser, ReadsOrRefuses) {
  const struct {
    absl::string_view text;
    const char* want;
  } kRows[] = {
      {"", ""},
      {"_5a1z10x-5991", "_5@0 a1@2 z10@4 x-5991@7"},
      {"_-9223372036854775808", "_-9223372036854775808@0"},
      {"_9223372036854775807", "_9223372036854775807@0"},
      {"k007k-0", "k7@0 k0@4"},
      {"A7!foobarZ17!FOOBAR_23_FOOBAR",
       "A'foobar'@0+3 Z'FOOBAR_23_FOOBAR'@9+13"},
      {"A6!12345Z4!-23", "A'12345'@0+3 Z'-23'@8+11"},
      {"A6!!2345Z4!-23", "A'!2345'@0+3 Z'-23'@8+11"},
      {"Z1!", "Z''@0+3"},
      {absl::string_view("Z3!\0\xFF", 5), R"(Z'\x00\xff'@0+3)"},
      // Tags.
      {absl::string_view("\0", 1),
       R"(Byte 0 of the signature: '\x00' is not a tag ('_', 'a' to 'z', 'A' )"
       "to 'Z')."},
      {"_1 _2",
       "Byte 2 of the signature: ' ' is not a tag ('_', 'a' to 'z', 'A' to "
       "'Z')."},
      {"_1@2",
       "Byte 2 of the signature: '@' is not a tag ('_', 'a' to 'z', 'A' to "
       "'Z')."},
      {"!",
       "Byte 0 of the signature: '!' is not a tag ('_', 'a' to 'z', 'A' to "
       "'Z')."},
      // Integers.
      {"_",
       "Byte 1 of the signature: expected digits of the integer after tag "
       "'_'."},
      {"_+12",
       "Byte 1 of the signature: expected digits of the integer after tag "
       "'_'."},
      {"a1k-",
       "Byte 4 of the signature: expected digits of the integer after tag "
       "'k'."},
      {"k--1",
       "Byte 2 of the signature: expected digits of the integer after tag "
       "'k'."},
      {"A!",
       "Byte 1 of the signature: expected digits of the integer after tag "
       "'A'."},
      {"_9223372036854775808",
       "Byte 1 of the signature: the integer exceeds 64 bits."},
      {"_1_-9223372036854775809",
       "Byte 3 of the signature: the integer exceeds 64 bits."},
      {"Z99999999999999999999999999!",
       "Byte 1 of the signature: the integer exceeds 64 bits."},
      // Lengths.
      {"Z-3!abc",
       "Byte 1 of the signature: the length -3 is less than 1, which is the "
       "'!' alone."},
      {"Z0!",
       "Byte 1 of the signature: the length 0 is less than 1, which is the '!' "
       "alone."},
      {"_1Z5!abc",
       "Byte 3 of the signature: the length 5 exceeds the 4 bytes left."},
      {"Z1", "Byte 1 of the signature: the length 1 exceeds the 0 bytes left."},
      {"Z9223372036854775807!",
       "Byte 1 of the signature: the length 9223372036854775807 exceeds the 1 "
       "bytes left."},
      {"Z3abc",
       "Byte 2 of the signature: 'a' is found where a span must have '!'."},
      {"Z2!ab",
       "Byte 5 of the signature: expected digits of the integer after tag "
       "'b'."},
  };
  for (const auto& row : kRows) {
    const std::string prefix =
        absl::StartsWith(row.want, "Byte ") ? "INVALID_ARGUMENT: " : "";
    EXPECT_EQ(ReadAll(row.text), prefix + row.want)
        << absl::CHexEscape(row.text);
  }
}

// Offsets within a span are relative to the whole signature.
TEST(SignatureParser, Nests) {
  SignatureParser parser("_5X7!_6Y2!?");
  ASSERT_TRUE(parser.Expect('_', "five").ok());
  const auto outer = parser.Expect('X', "a span");
  ASSERT_TRUE(outer.ok());
  EXPECT_TRUE(parser.Next()->at_end());
  EXPECT_TRUE(parser.Next()->at_end());
  SignatureParser nested(*outer);
  EXPECT_EQ(nested.Next()->offset, 5);
  EXPECT_EQ(StatusText(nested.ExpectEnd("six")),
            "INVALID_ARGUMENT: Byte 7 of the signature: 'Y' follows six, which "
            "should be the end.");
  const auto inner = nested.Next();
  ASSERT_TRUE(inner.ok());
  EXPECT_EQ(
      StatusText(SignatureParser(*inner).Next()),
      "INVALID_ARGUMENT: Byte 10 of the signature: '?' is not a tag ('_', "
      "'a' to 'z', 'A' to 'Z').");
  EXPECT_EQ(StatusText(nested.Expect('Z', "a zed")),
            "INVALID_ARGUMENT: Byte 11 of the signature: the end is found in "
            "place of a zed ('Z').");
  EXPECT_TRUE(nested.ExpectEnd("all").ok());
  EXPECT_EQ(StatusText(SignatureParser("k1").Expect('Z', "a zed")),
            "INVALID_ARGUMENT: Byte 0 of the signature: 'k' is found in place "
            "of a zed ('Z').");
}

}  // namespace
}  // namespace eyrie::abi::v0
