// Tests which values are the same, and how much a structure may copy.
#include "abi/v0/call/sip_values.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/v0/testing/writers.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::abi::v0 {
namespace {

using ArrayPtr = std::shared_ptr<const HostArray>;

const uint8_t kBytes[] = {1, 2, 3, 4, 1, 2};

ArrayPtr Array(hal::ElementType type, std::vector<int64_t> shape,
               std::vector<int64_t> strides, size_t first) {
  auto array = HostArray::Borrow(type, shape, strides, kBytes, first);
  EXPECT_TRUE(array.ok()) << StatusText(array);
  return *array;
}

HostValue Int(int64_t value) { return HostValue(HostValue::Int{value}); }

TEST(SipValues, Same) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr auto kI8 = hal::ElementType::kInt8;
  const ArrayPtr dense = Array(kI8, {2}, {1}, 0);
  const HostValue list = HostValue::List({Int(1), HostValue()});
  const struct {
    HostValue a;
    HostValue b;
    bool same;
  } kRows[] = {
      {HostValue(), HostValue(), true},
      {HostValue(), Int(0), false},
      {HostValue(true), HostValue(true), true},
      {HostValue(true), HostValue(false), false},
      {HostValue(int32_t{7}), HostValue(int64_t{7}), true},
      {Int(7), Int(8), false},
      {Int(-1), HostValue(HostValue::Int{-1, 64, true}), false},
      {HostValue(kNan), HostValue(kNan), true},
      {HostValue(0.0), HostValue(-0.0), false},
      {HostValue(1.0), Int(1), false},
      {HostValue::Bytes("a"), HostValue::Bytes("a"), true},
      {HostValue::Bytes("a"), HostValue::Bytes("b"), false},
      {HostValue(dense), HostValue(dense), true},
      {HostValue(dense), HostValue(Array(kI8, {2}, {1}, 4)), true},
      {HostValue(dense), HostValue(Array(kI8, {2}, {1}, 2)), false},
      {HostValue(dense), HostValue(Array(kI8, {2}, {5}, 0)), true},
      {HostValue(dense), HostValue(Array(kI8, {1, 2}, {2, 1}, 0)), false},
      {HostValue(dense),
       HostValue(Array(hal::ElementType::kUint8, {2}, {1}, 0)), false},
      {HostValue(dense), HostValue(dense->Casting()), false},
      {list, HostValue::List({Int(1), HostValue()}), true},
      {list, HostValue::List({Int(1)}), false},
      {list, HostValue::Tuple({Int(1), HostValue()}), false},
      {HostValue::Dict({{"a", Int(1)}}), HostValue::Dict({{"a", Int(1)}}),
       true},
      {HostValue::Dict({{"a", Int(1)}}), HostValue::Dict({{"b", Int(1)}}),
       false},
      {HostValue::Dict({{"a", Int(1)}}), HostValue::Dict({{"a", Int(2)}}),
       false},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(SameValue(row.a, row.b), row.same) << &row - kRows;
    EXPECT_EQ(SameValue(row.b, row.a), row.same) << &row - kRows;
  }
}

TEST(SipValues, CopiesAreBounded) {
  SipNode root;
  for (int64_t i = 0; i < 40000; ++i) PutLeaf(root, 0, {i});
  const struct {
    HostValue value;
    const char* want;
  } kRows[] = {
      {Int(1), "OK"},
      {HostValue::Bytes(std::string(1600, 'x')), "OK"},
      {HostValue::Bytes(std::string(1760, 'x')), "refused"},
      {HostValue::List(HostValue::Items(110)), "refused"},
      {HostValue::Dict(HostValue::Entries(110)), "refused"},
      {HostValue(Array(hal::ElementType::kInt8, {6}, {1}, 0)), "OK"},
  };
  for (const auto& row : kRows) {
    const auto nested = SipNest(root, {row.value});
    EXPECT_EQ(StatusText(nested),
              row.want != std::string("refused")
                  ? row.want
                  : "RESOURCE_EXHAUSTED: more than 4194304 values would be "
                    "copies of others, which is the limit.");
    if (!nested.ok()) continue;
    EXPECT_EQ(nested->items()->size(), 40000);
  }
}

}  // namespace
}  // namespace eyrie::abi::v0
