// Tests SIP structures: contents, construction from leaves, and errors with
// their bytes.
#include "abi/v0/sip_signature.h"

#include <initializer_list>
#include <string>
#include <vector>

#include "abi/v0/testing/writers.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::abi::v0 {
namespace {

// A path and the raw value at it.
struct Leaf {
  int64_t raw;
  std::vector<SipKey> path;
};

SipNode Create(const std::vector<Leaf>& leaves) {
  SipNode root;
  for (const Leaf& leaf : leaves) PutLeaf(root, leaf.raw, leaf.path);
  return root;
}

TEST(SipSignature, FromLeavesToTextAndBack) {
  const struct {
    std::vector<Leaf> inputs;
    std::vector<Leaf> results;
    const char* mangled;
    const char* input_text;
    const char* result_text;
  } kRows[] = {
      {{}, {}, "I1!R1!", "", ""},
      {{{0, {0}}, {1, {1}}},
       {{0, {}}},
       "I12!S9!k0_0k1_1R3!_0",
       ":[\n  0=raw(0),\n  1=raw(1),\n],\n",
       "=raw(0),\n"},
      {{{0, {0, "foo"}}, {1, {0, "bar"}}, {2, {1}}},
       {{0, {0}}, {1, {1}}},
       "I31!S27!k0D17!K4!bar_1K4!foo_0k1_2R12!S9!k0_0k1_1",
       ":[\n"
       "  0:{\n"
       "    bar=raw(1),\n"
       "    foo=raw(0),\n"
       "  },\n"
       "  1=raw(2),\n"
       "],\n",
       ":[\n  0=raw(0),\n  1=raw(1),\n],\n"},
      // Sparse keys, a value at two places, keys of any bytes.
      {{{7, {"a", 5, ""}}, {7, {"a", 2}}, {0, {"7\n", 0}}},
       {{1, {9}}},
       "I39!D35!K3!7\n"
       "S5!k0_0K2!aS15!k2_7k5D6!K1!_7R8!S5!k9_1",
       ":{\n"
       "  7\\n:[\n"
       "    0=raw(0),\n"
       "  ],\n"
       "  a:[\n"
       "    2=raw(7),\n"
       "    5:{\n"
       "      =raw(7),\n"
       "    },\n"
       "  ],\n"
       "},\n",
       ":[\n  9=raw(1),\n],\n"},
  };
  for (const auto& row : kRows) {
    const SipSignature made = {Create(row.inputs), Create(row.results)};
    EXPECT_EQ(Mangle(made), row.mangled);
    EXPECT_EQ(SipText(made.inputs), row.input_text);
    EXPECT_EQ(SipText(made.results), row.result_text);
    const auto read = SipSignature::Parse(Mangle(made));
    ASSERT_TRUE(read.ok()) << StatusText(read);
    EXPECT_EQ(*read, made);
  }
}

TEST(SipSignature, ReadsOrRefuses) {
  const struct {
    const char* inputs;  // content of the span 'I', from byte 4 or 5
    const char* want;
  } kRows[] = {
      {"S1!", ":[\n],\n"},
      {"D1!", ":{\n},\n"},
      {"S9!k1_0k0_1", ":[\n  1=raw(0),\n  0=raw(1),\n],\n"},
      {"_00", "=raw(0),\n"},
      // Values.
      {"_-1", "+0: the raw index -1 is negative."},
      {"k0_0", "+0: 'k' is found where a value ('_', 'S' or 'D') is expected."},
      {"_0_1", "+2: '_' follows the structure, which should be the end."},
      {"X1!", "+0: 'X' is found where a value ('_', 'S' or 'D') is expected."},
      {"S3!k0",
       "+5: the end is found where a value ('_', 'S' or 'D') is expected."},
      {"S5!k0k1",
       "+5: 'k' is found where a value ('_', 'S' or 'D') is expected."},
      {"D4!K1!",
       "+6: the end is found where a value ('_', 'S' or 'D') is expected."},
      {"S5!k0S1", "+6: the length 1 exceeds the 0 bytes left."},
      // Keys.
      {"S6!K1!_0", "+3: 'K' is found in place of a list's index ('k')."},
      {"D5!k0_0", "+3: 'k' is found in place of a dict's key ('K')."},
      {"S3!_0", "+3: '_' is found in place of a list's index ('k')."},
      {"S6!k-1_0", "+3: the index -1 is negative."},
      {"S9!k3_0k3_0", "+7: the key [3] is repeated."},
      {"D13!K2!a_0K2!a_1", "+10: the key ['a'] is repeated."},
      {"S5!k0?0", "+5: '?' is not a tag ('_', 'a' to 'z', 'A' to 'Z')."},
      // Limits on the cost of keys.
      {"S9!k65535_0", ":[\n  65535=raw(0),\n],\n"},
      {"S9!k65536_0",
       "+3: the lists and dicts have more than 65536 items together, which is "
       "the limit."},
      {"S23!k1152921504606846976_0",
       "+4: the lists and dicts have more than 65536 items together, which is "
       "the limit."},
      {"S23!k9223372036854775807_0",
       "+4: the lists and dicts have more than 65536 items together, which is "
       "the limit."},
      {"S27!k0S9!k40000_0k1S9!k30000_0",
       "+22: the lists and dicts have more than 65536 items together, which "
       "is the limit."},
  };
  for (const auto& row : kRows) {
    const std::string side = SignatureBuilder().Span(row.inputs, 'I').encoded();
    const auto signature = SipSignature::Parse(side + "R1!");
    std::string want = row.want;
    if (want[0] == '+') {
      size_t offset = 0;
      const size_t colon = want.find(':');
      ASSERT_TRUE(absl::SimpleAtoi(want.substr(1, colon - 1), &offset));
      offset += side.size() - absl::string_view(row.inputs).size();
      want = absl::StrCat("INVALID_ARGUMENT: Byte ", offset,
                          " of the signature", want.substr(colon));
    }
    const std::string got =
        signature.ok() ? SipText(signature->inputs) : StatusText(signature);
    EXPECT_EQ(got, want) << row.inputs;
  }
}

TEST(SipSignature, TheWholeIsInputsAndResults) {
  const struct {
    const char* text;
    const char* want;
  } kRows[] = {
      {"",
       "Byte 0 of the signature: the end is found in place of the inputs "
       "('I')."},
      {"I1!",
       "Byte 3 of the signature: the end is found in place of the results "
       "('R')."},
      {"R1!",
       "Byte 0 of the signature: 'R' is found in place of the inputs ('I')."},
      {"I1!R1!_0",
       "Byte 6 of the signature: '_' follows the results, which "
       "should be the end."},
      {"I1!R3!_x",
       "Byte 7 of the signature: expected digits of the integer after tag "
       "'_'."},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(StatusText(SipSignature::Parse(row.text)),
              absl::StrCat("INVALID_ARGUMENT: ", row.want));
  }
}

TEST(SipSignature, DepthIsBounded) {
  SignatureBuilder value = SignatureBuilder().Integer(0);
  for (size_t depth = 0; depth <= kSipMaxDepth; ++depth) {
    SignatureBuilder whole = SignatureBuilder().Span(value, 'I').Span("", 'R');
    EXPECT_TRUE(SipSignature::Parse(whole.encoded()).ok()) << depth;
    SignatureBuilder body = SignatureBuilder().Integer(0, 'k');
    value = SignatureBuilder().Span(body.encoded() + value.encoded(), 'S');
  }
  const std::string text =
      SignatureBuilder().Span(value, 'I').Span("", 'R').encoded();
  EXPECT_TRUE(absl::EndsWith(StatusText(SipSignature::Parse(text)),
                             "structures are nested more than 32 deep, which "
                             "is the limit."))
      << StatusText(SipSignature::Parse(text));
}

TEST(SipSignature, FirstPath) {
  SipNode root;
  PutLeaf(root, 3, {"b", 2});
  PutLeaf(root, 3, {"a", 7});
  PutLeaf(root, 0, {"c"});
  EXPECT_EQ(SipPathText(SipFirstPath(root, 3)), "['a'][7]");
  EXPECT_EQ(SipPathText(SipFirstPath(root, 0)), "['c']");
  EXPECT_EQ(SipPathText(SipFirstPath(root, 9)), "");
}

}  // namespace
}  // namespace eyrie::abi::v0
