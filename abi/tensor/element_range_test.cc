// Tests which integers do not fit another type of the same width, and their
// positions.
#include "abi/tensor/element_range.h"

#include <cstring>

#include "abi/tensor/tensor_text.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace eyrie::abi {
namespace {

// Returns "[0][3] 200", or "" if all elements fit.
std::string Find(const std::string& tensor, const std::string& to) {
  const size_t equals = tensor.find('=');
  const hal::TensorType from =
      *hal::TensorType::ParseStatic(tensor.substr(0, equals));
  std::vector<uint8_t> bytes(*from.ByteLength());
  const absl::Status parsed =
      ParseElements(tensor.substr(equals + 1), from, bytes);
  if (!parsed.ok()) return std::string(parsed.message());
  const auto misfit =
      FindMisfit(bytes, from.element, *hal::ParseElementType(to), from.shape);
  return misfit ? absl::StrCat(misfit->Place(), " ", misfit->number) : "";
}

TEST(ElementRange, FindsWhatDoesNotFit) {
  const struct {
    const char* tensor;
    const char* to;
    const char* want;
  } kRows[] = {
      {"4xui8=1 127 128 200", "si8", "[2] 128"},
      {"4xui8=1 127 0 5", "si8", ""},
      {"ui8=255", "si8", " 255"},
      {"4xsi8=1 127 -1 -128", "ui8", "[2] -1"},
      {"2x2xui16=[1 2][32767 32768]", "si16", "[1][1] 32768"},
      {"2x1x3xsi16=1 2 3 4 -5 6", "ui16", "[1][0][1] -5"},
      {"3xui32=1 4000000000 2", "si32", "[1] 4000000000"},
      {"3xsi32=1 2 -2147483648", "ui32", "[2] -2147483648"},
      {"2xui64=1 18446744073709551615", "si64", "[1] 18446744073709551615"},
      {"2xsi64=-9223372036854775808 0", "ui64", "[0] -9223372036854775808"},
      {"5xui4=0 7 8 15 1", "si4", "[2] 8"},
      {"5xsi4=0 7 1 5 -1", "ui4", "[4] -1"},
      {"5xui4=0 7 1 5 7", "si4", ""},
      {"3xui8=0 1 2", "i1", "[2] 2"},
      {"3xi8=0 1 -1", "i1", "[2] -1"},
      {"3xi8=0 1 1", "i1", ""},
      // A signless type accepts both signs.
      {"4xui8=1 127 128 200", "i8", ""},
      {"4xi8=-1 255 0 0", "ui8", ""},
      {"4xi8=-1 255 0 0", "si8", ""},
      // Types of other widths and kinds are not checked.
      {"4xui8=200", "si16", ""},
      {"4xui8=200", "ui8", ""},
      {"4xf32=-1", "ui32", ""},
      {"0xui8=", "si8", ""},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Find(row.tensor, row.to), row.want)
        << row.tensor << " as " << row.to;
  }
}

// At any position, in full blocks and in the rest.
TEST(ElementRange, FindsEachPlace) {
  for (const int64_t count : {1, 7, 8, 9, 4095, 4096, 4097, 10000}) {
    std::vector<uint8_t> bytes(count, 127);
    const auto find = [&] {
      return FindMisfit(bytes, hal::ElementType::kUint8,
                        hal::ElementType::kSint8, {&count, 1});
    };
    EXPECT_FALSE(find().has_value());
    for (const int64_t at : {int64_t{0}, count / 2, count - 1}) {
      bytes[at] = 128;
      ASSERT_TRUE(find().has_value());
      EXPECT_EQ(find()->element, at);
      bytes[at] = 127;
    }
  }
}

}  // namespace
}  // namespace eyrie::abi
