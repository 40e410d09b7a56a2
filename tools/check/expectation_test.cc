// Compares tensors, given as text, and checks the messages.
#include "tools/check/expectation.h"

#include <string>
#include <vector>

#include "abi/call/session.h"
#include "abi/tensor/tensor.h"
#include "abi/tensor/tensor_text.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

// Creates a tensor on a CPU device from text such as "2x2xi32=1 2 3 4".
Ref<hal::BufferView> Tensor(absl::string_view text) {
  static const Ref<hal::Device>& device =
      *new Ref<hal::Device>(*abi::OpenDevice("local-sync", {}));
  const size_t equals = text.find('=');
  const hal::TensorType spec =
      *hal::TensorType::ParseStatic(text.substr(0, equals));
  std::vector<uint8_t> bytes(*spec.ByteLength());
  EXPECT_TRUE(abi::ParseElements(text.substr(equals + 1), spec, bytes).ok())
      << text;
  return *abi::CopyTensor(*device, spec, bytes);
}

// Returns the first line of the message, or the error.
std::string FirstLine(const absl::StatusOr<std::string>& said) {
  if (!said.ok()) return std::string(said.status().message());
  return said->substr(0, said->find('\n'));
}

TEST(Expectation, AllTrue) {
  const struct {
    const char* tensor;
    const char* want;
  } kCases[] = {
      {"3xi32=1 -1 2", ""},
      {"0x3xi32=", ""},
      {"i32=1", ""},
      {"i32=0",
       "Expected all elements to be nonzero. The element is 0; 1 of 1 is "
       "zero."},
      {"2x2xi8=1 1 0 0",
       "Expected all elements to be nonzero. Element [1, 0] is 0; 2 of 4 are "
       "zero."},
      {"2xi16=256 1", ""},
      {"2xi64=4294967296 1", ""},
      {"2xui64=18446744073709551615 1", ""},
      {"4xi1=1 1 1 0",
       "Expected all elements to be nonzero. Element [3] is 00; 1 of 4 is "
       "zero."},
      {"3xi4=1 -1 0",
       "Expected all elements to be nonzero. Element [2] is 0; 1 of 3 is "
       "zero."},
      {"3xi4=1 -1 2", ""},
      {"2xf32=0.5 nan", ""},
      {"2xf32=1 -0.0",
       "Expected all elements to be nonzero. Element [1] is -0; 1 of 2 is "
       "zero."},
      {"2xf64=1e-300 0",
       "Expected all elements to be nonzero. Element [1] is 0; 1 of 2 is "
       "zero."},
      {"2xf16=1 0",
       "Expected all elements to be nonzero. Element [1] is 0; 1 of 2 is "
       "zero."},
      {"1xf8E4M3FN=1", ""},
      {"3xf4E2M1FN=1 0.5 -6", ""},
      {"2xf4E2M1FN=1 -0",
       "Expected all elements to be nonzero. Element [1] is -0; 1 of 2 is "
       "zero."},
      {"1xx8=01", "Elements of the type *8 are neither true nor false."},
      {"1xcf64=1", "Elements of the type cf64 are neither true nor false."},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(FirstLine(ExpectAllTrue(*Tensor(c.tensor))), c.want) << c.tensor;
  }
}

TEST(Expectation, Equal) {
  constexpr char kOf[] = "Expected equality of these values.";
  const struct {
    const char* left;
    const char* right;
    const char* want;  // after the common beginning; "": they are equal
  } kCases[] = {
      {"2xi32=1 2", "2xi32=1 2", ""},
      {"0xi32=", "0xi32=", ""},
      {"f32=1", "f32=1", ""},
      {"2xi32=1 2", "2xi32=1 3",
       " Contents does not match. Element [1] is 2 and 3; 1 of 2 differ."},
      {"2x2xi32=1 2 3 4", "2x2xi32=1 5 6 4",
       " Contents does not match. Element [0, 1] is 2 and 5; 2 of 4 differ."},
      {"i32=1", "i32=2",
       " Contents does not match. The element is 1 and 2; 1 of 1 differ."},
      // Compares bits, not values.
      {"1xf32=0", "1xf32=-0",
       " Contents does not match. Element [0] is 0 and -0; 1 of 1 differ."},
      {"1xf32=nan", "1xf32=nan", ""},
      {"3xi4=1 2 3", "3xi4=1 2 4",
       " Contents does not match. Element [2] is 3 and 4; 1 of 3 differ."},
      {"2xi32=1 2", "3xi32=1 2 3", " Shapes do not match."},
      {"2xi32=1 2", "1x2xi32=1 2", " Shapes do not match."},
      {"2xi32=1 2", "2xf32=1 2", " Element types do not match."},
      {"2xi32=1 2", "3xf32=1 2 3",
       " Element types do not match. Shapes do not match."},
      {"1xcf64=1+2i", "1xcf64=1+2i", ""},
  };
  for (const auto& c : kCases) {
    const std::string want = *c.want == '\0' ? "" : absl::StrCat(kOf, c.want);
    EXPECT_EQ(FirstLine(ExpectEqual(*Tensor(c.left), *Tensor(c.right))), want)
        << c.left << " and " << c.right;
  }
}

TEST(Expectation, AlmostEqual) {
  constexpr char kOf[] = "Expected near equality of these values.";
  const struct {
    const char* left;
    const char* right;
    Closeness closeness;
    const char* want;
  } kCases[] = {
      {"2xf32=1 2", "2xf32=1 2", {0, 0}, ""},
      {"2xf32=1 2", "2xf32=1.25 2", {0.25, 0}, ""},
      {"2xf32=1 2",
       "2xf32=1.5 2",
       {0.25, 0},
       " Contents does not match to tolerance parameters atol=0.25, rtol=0. "
       "Element [0] is 1 and 1.5; 1 of 2 differ. They are 0.5 apart."},
      {"1xf32=100", "1xf32=110", {0, 0.1}, ""},
      // The relative tolerance is relative to the right side.
      {"1xf32=110.5",
       "1xf32=100",
       {0, 0.1},
       " Contents does not match to tolerance parameters atol=0, rtol=0.1. "
       "Element [0] is 110.5 and 100; 1 of 1 differ. They are 10.5 apart."},
      {"1xf64=1", "1xf64=1.5", {0.25, 0.25}, ""},
      {"1xf32=nan", "1xf32=nan", {0, 0}, ""},
      {"1xf32=nan",
       "1xf32=1",
       {1e30, 1},
       " Contents does not match to tolerance parameters atol=1e+30, rtol=1. "
       "Element [0] is NAN and 1; 1 of 1 differ. They are nan apart."},
      {"2xf32=inf -inf", "2xf32=inf -inf", {0, 0}, ""},
      {"1xf32=1",
       "1xf32=inf",
       {1, 1},
       " Contents does not match to tolerance parameters atol=1, rtol=1. "
       "Element [0] is 1 and INF; 1 of 1 differ. They are inf apart."},
      {"1xf16=1", "1xf16=1.5", {0.5, 0}, ""},
      {"1xbf16=1", "1xbf16=1.5", {0.5, 0}, ""},
      {"1xf8E5M2=1", "1xf8E5M2=1.5", {0.5, 0}, ""},
      {"1xf8E4M3FN=1", "1xf8E4M3FN=1.5", {0.5, 0}, ""},
      {"1xf8E5M2FNUZ=1", "1xf8E5M2FNUZ=1.5", {0.5, 0}, ""},
      {"1xf8E4M3FNUZ=1", "1xf8E4M3FNUZ=1.5", {0.5, 0}, ""},
      {"1xf8E8M0FNU=1", "1xf8E8M0FNU=2", {1, 0}, ""},
      {"3xf6E3M2FN=1 2 -4", "3xf6E3M2FN=1 2.5 -4", {0.5, 0}, ""},
      {"3xf4E2M1FN=1 2 -4", "3xf4E2M1FN=1.5 2 -4", {0.5, 0}, ""},
      {"1xf8E5M2=1",
       "1xf8E5M2=2",
       {0.5, 0},
       " Contents does not match to tolerance parameters atol=0.5, rtol=0. "
       "Element [0] is 1 and 2; 1 of 1 differ. They are 1 apart."},
      {"2xf32=1 2", "3xf32=1 2 3", {1, 1}, " Shapes do not match."},
      {"1xf32=1", "1xf64=1", {1, 1}, " Element types do not match."},
  };
  for (const auto& c : kCases) {
    const std::string want = *c.want == '\0' ? "" : absl::StrCat(kOf, c.want);
    EXPECT_EQ(FirstLine(ExpectAlmostEqual(*Tensor(c.left), *Tensor(c.right),
                                          c.closeness)),
              want)
        << c.left << " and " << c.right;
  }
  EXPECT_EQ(FirstLine(ExpectAlmostEqual(*Tensor("1xi32=1"), *Tensor("1xi32=1"),
                                        {1, 1})),
            "Elements of the type i32 are not floats; only floats may "
            "differ.");
}

TEST(Expectation, ShowsBothTensors) {
  EXPECT_EQ(*ExpectEqual(*Tensor("2xi32=1 2"), *Tensor("2xi32=1 3")),
            "Expected equality of these values. Contents does not match. "
            "Element [1] is 2 and 3; 1 of 2 differ.\n"
            "  lhs:\n    2xi32=1 2\n  rhs:\n    2xi32=1 3");
  EXPECT_EQ(*ExpectAllTrue(*Tensor("2x1xi32=0 3")),
            "Expected all elements to be nonzero. Element [0, 0] is 0; 1 of 2 "
            "is zero.\n  operand:\n    2x1xi32=[0][3]");
  // Large tensors are printed in part.
  const std::string large =
      *ExpectEqual(*Tensor("5000xi8=1"), *Tensor("5000xi8=2"));
  EXPECT_LT(large.size(), 6000u);
  EXPECT_NE(large.find("5000 of 5000 differ."), large.npos);
}

// Tensors of failures fit on a screen.
TEST(Expectation, CutsLongTensors) {
  const auto said = ExpectEqual(*Tensor("999x3xi32=1"), *Tensor("999x3xi32=2"));
  ASSERT_TRUE(said.ok()) << said.status().message();
  EXPECT_EQ(said->substr(said->size() - 16), "[2 2 2][2...]...") << *said;
  EXPECT_LT(said->size(), 600u) << *said;
}

}  // namespace
}  // namespace eyrie::tools
