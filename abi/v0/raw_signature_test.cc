// Tests raw signatures: contents, and errors with their bytes.
#include "abi/v0/raw_signature.h"

#include <string>

#include "abi/v0/testing/writers.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::abi::v0 {
namespace {

TEST(RawSignature, ReadsOrRefuses) {
  const struct {
    const char* text;
    const char* want;
  } kRows[] = {
      {"I1!R1!", "() -> ()"},
      {"I16!B8!t6d4d-1S3!t2R4!O1!",
       "(Buffer<sint32[4x?]>, float64) -> (RefObject<?>)"},
      {"I26!B11!d-1d128d64S3!t6O1!U1!R4!B1!",
       "(Buffer<float32[?x128x64]>, sint32, RefObject<?>, !UNKNOWN!) -> "
       "(Buffer<float32[]>)"},
      {"I5!B2!tR1!",
       "Byte 7 of the signature: expected digits of the integer after tag "
       "'t'."},
      {"I19!B5!d2c0B9!t1d2d3c1R1!",
       "(Buffer<float32[2], row-major>, Buffer<float16[2x3], column-major>) -> "
       "()"},
      {"I8!B5!t0d0R1!", "(Buffer<float32[0]>) -> ()"},
      // The whole signature.
      {"",
       "Byte 0 of the signature: the end is found in place of the inputs "
       "('I')."},
      {"I1!",
       "Byte 3 of the signature: the end is found in place of the results "
       "('R')."},
      {"R1!I1!",
       "Byte 0 of the signature: 'R' is found in place of the inputs ('I')."},
      {"I1!I1!R1!",
       "Byte 3 of the signature: 'I' is found in place of the results ('R')."},
      {"I1!R1!R1!",
       "Byte 6 of the signature: 'R' follows the results, which should be the "
       "end."},
      {"I1!R1! ",
       "Byte 6 of the signature: ' ' follows the results, which should be the "
       "end."},
      {"I9!R1!",
       "Byte 1 of the signature: the length 9 exceeds the 4 bytes left."},
      // Types.
      {"I3!_5R1!",
       "Byte 3 of the signature: '_' is not a type ('B', 'S', 'O' or 'U')."},
      {"I4!X1!R1!",
       "Byte 3 of the signature: 'X' is not a type ('B', 'S', 'O' or 'U')."},
      {"I4!B3!R1!",
       "Byte 4 of the signature: the length 3 exceeds the 1 bytes left."},
      {"I6!O3!d1R1!",
       "Byte 6 of the signature: 'd' is in a type 'O', which does not allow "
       "it."},
      {"I1!R6!U3!t1",
       "Byte 9 of the signature: 't' is in a type 'U', which does not allow "
       "it."},
      {"I6!S3!d1R1!",
       "Byte 6 of the signature: 'd' is in a type 'S', which does not allow "
       "it."},
      {"I6!S3!c1R1!",
       "Byte 6 of the signature: 'c' is in a type 'S', which does not allow "
       "it."},
      {"I6!B3!x1R1!",
       "Byte 6 of the signature: 'x' is in a type 'B', which does not allow "
       "it."},
      {"I9!B6!T3!d1R1!",
       "Byte 6 of the signature: 'T' is in a type 'B', which does not allow "
       "it."},
      // Element types.
      {"I7!S4!t12R1!",
       "Byte 6 of the signature: element type 12; expected 0 to 11."},
      {"I7!B4!t-1R1!",
       "Byte 6 of the signature: element type -1; expected 0 to 11."},
      {"I8!B5!d1t1R1!",
       "Byte 8 of the signature: an element type must come first in its type."},
      {"I8!S5!t1t1R1!",
       "Byte 8 of the signature: an element type must come first in its type."},
      // Dimensions and layouts.
      {"I7!B4!d-2R1!",
       "Byte 6 of the signature: dimension -2 is less than -1, which means "
       "dynamic."},
      {"I8!B5!c0d1R1!",
       "Byte 8 of the signature: a dimension must come before the layout."},
      {"I8!B5!c0c1R1!", "Byte 8 of the signature: a second layout."},
      {"I6!B3!c2R1!",
       "Byte 6 of the signature: layout 2; 0 is row-major, 1 is column-major."},
  };
  for (const auto& row : kRows) {
    const auto signature = RawSignature::Parse(row.text);
    const bool refused = absl::StartsWith(row.want, "Byte ");
    EXPECT_EQ(signature.ok() ? signature->ToString() : StatusText(signature),
              absl::StrCat(refused ? "INVALID_ARGUMENT: " : "", row.want))
        << row.text;
    if (!signature.ok()) continue;
    const auto again = RawSignature::Parse(Mangle(*signature));
    ASSERT_TRUE(again.ok()) << StatusText(again);
    EXPECT_EQ(*again, *signature) << row.text;
  }
}

TEST(RawSignature, MangleTakesTheDefaultElementTypeAsRead) {
  const auto signature = RawSignature::Parse("I8!B5!t0d0R1!");
  ASSERT_TRUE(signature.ok());
  EXPECT_EQ(Mangle(*signature), "I6!B3!d0R1!");
}

TEST(RawSignature, ElementTypes) {
  const char* const kNames[] = {"float32", "float16", "float64", "bfloat16",
                                "sint8",   "sint16",  "sint32",  "sint64",
                                "uint8",   "uint16",  "uint32",  "uint64"};
  ASSERT_EQ(ScalarTypes().size(), std::size(kNames));
  for (size_t i = 0; i < std::size(kNames); ++i) {
    const hal::ElementType type = ScalarTypes()[i];
    EXPECT_EQ(ScalarTypeName(type), kNames[i]);
    RawType scalar;
    scalar.kind = RawType::Kind::kScalar;
    scalar.element = type;
    RawSignature signature;
    signature.results.push_back(scalar);
    const std::string text = Mangle(signature);
    EXPECT_EQ(text, i == 0   ? "I1!R4!S1!"
                    : i < 10 ? absl::StrCat("I1!R6!S3!t", i)
                             : absl::StrCat("I1!R7!S4!t", i));
    EXPECT_EQ(RawSignature::Parse(text)->results[0].element, type);
  }
  EXPECT_EQ(ScalarTypeName(hal::ElementType::kBool8), "");
}

TEST(RawSignature, RankIsBounded) {
  RawSignature signature;
  signature.inputs.resize(1);
  signature.inputs[0].kind = RawType::Kind::kBuffer;
  signature.inputs[0].shape.assign(RawType::kMaxRank, 1);
  EXPECT_TRUE(RawSignature::Parse(Mangle(signature)).ok());
  signature.inputs[0].shape.push_back(1);
  EXPECT_EQ(StatusText(RawSignature::Parse(Mangle(signature))),
            "INVALID_ARGUMENT: Byte 138 of the signature: a dimension above "
            "the limit of 64.");
}

TEST(RawType, IsStatic) {
  const struct {
    const char* text;
    bool want;
  } kRows[] = {
      {"I6!B3!d4R1!", true}, {"I4!B1!R1!", true},  {"I7!B4!d-1R1!", false},
      {"I4!S1!R1!", true},   {"I4!O1!R1!", false}, {"I4!U1!R1!", false},
  };
  for (const auto& row : kRows) {
    const auto signature = RawSignature::Parse(row.text);
    ASSERT_TRUE(signature.ok()) << StatusText(signature);
    EXPECT_EQ(signature->inputs[0].is_static(), row.want) << row.text;
  }
}

}  // namespace
}  // namespace eyrie::abi::v0
