// Tests elements of 1, 2 and 4 bits, packed and with a byte each.
#include "hal/packed_elements.h"

#include <cstdint>
#include <vector>

#include "abi/native/ffi_types.h"
#include "gtest/gtest.h"

namespace eyrie::native {
namespace {

TEST(PackedElements, BothWays) {
  const struct {
    FfiType type;
    std::vector<uint8_t> packed;
    std::vector<uint8_t> unpacked;
  } kRows[] = {
      {FfiType::kS4, {}, {}},
      {FfiType::kS4, {0x21, 0x0f}, {1, 2, 0xff}},
      {FfiType::kS4, {0x87}, {7, 0xf8}},
      {FfiType::kU4, {0x87}, {7, 8}},
      {FfiType::kS2, {0b11100100}, {0, 1, 0xfe, 0xff}},
      {FfiType::kU2, {0b11100100, 0b01}, {0, 1, 2, 3, 1}},
      {FfiType::kS1, {0b101}, {0xff, 0, 0xff}},
      {FfiType::kF4E2M1FN, {0x87, 0x0f}, {7, 8, 0xf}},
      {FfiType::kU1, {0b101, 1}, {1, 0, 1, 0, 0, 0, 0, 0, 1}},
  };
  for (const auto& row : kRows) {
    const FfiTypeInfo& info = InfoOf(row.type);
    SCOPED_TRACE(info.name);
    ASSERT_TRUE(hal::IsPacked(info.element));
    std::vector<uint8_t> unpacked(row.unpacked.size());
    hal::Unpack(info.element, row.packed.data(), unpacked);
    EXPECT_EQ(unpacked, row.unpacked);
    std::vector<uint8_t> packed(row.packed.size(), 0xaa);
    hal::Pack(info.element, row.unpacked, packed.data());
    EXPECT_EQ(packed, row.packed);
  }
}

TEST(PackedElements, IgnoresUpperBits) {
  const uint8_t from[] = {0xa1, 0xb2};
  uint8_t to = 0;
  hal::Pack(hal::ElementType::kInt4, from, &to);
  EXPECT_EQ(to, 0x21);
}

TEST(PackedElements, OtherTypesAreNotPacked) {
  for (const FfiType type : {FfiType::kPred, FfiType::kS8, FfiType::kF8E8M0FNU,
                             FfiType::kToken, FfiType::kC128}) {
    EXPECT_FALSE(hal::IsPacked(InfoOf(type).element)) << InfoOf(type).name;
  }
}

}  // namespace
}  // namespace eyrie::native
