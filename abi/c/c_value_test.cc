// Tests that values of the C API are created, read, lent and released.
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "eyrie/c.h"
#include "eyrie/value.h"
#include "gtest/gtest.h"

namespace eyrie {
namespace {

using Bytes = std::vector<uint8_t>;

// Returns the result of each getter, or "-" if it returns 0.
std::string Readings(const eyrie_value_t* value) {
  int boolean = 0;
  int64_t integer = 0;
  uint64_t natural = 0;
  double number = 0;
  const void* data = nullptr;
  size_t size = 0;
  return absl::StrCat(
      eyrie_value_get_bool(value, &boolean) ? absl::StrCat(boolean) : "-", " ",
      eyrie_value_get_i64(value, &integer) ? absl::StrCat(integer) : "-", " ",
      eyrie_value_get_u64(value, &natural) ? absl::StrCat(natural) : "-", " ",
      eyrie_value_get_f64(value, &number) ? absl::StrCat(number) : "-", " ",
      eyrie_value_get_bytes(value, &data, &size)
          ? std::string(static_cast<const char*>(data), size)
          : "-");
}

TEST(CValues, ScalarsAndBytes) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  struct Case {
    eyrie_value_t* value;
    eyrie_kind_t kind;
    const char* want;  // as bool, i64, u64, f64, bytes
  };
  const Case cases[] = {
      {nullptr, EYRIE_KIND_NULL, "- - - - -"},
      {eyrie_value_new_null(), EYRIE_KIND_NULL, "- - - - -"},
      {eyrie_value_new_bool(7), EYRIE_KIND_BOOL, "1 - - - -"},
      {eyrie_value_new_i32(-7), EYRIE_KIND_INT, "- -7 - - -"},
      {eyrie_value_new_i64(1ll << 40), EYRIE_KIND_INT,
       "- 1099511627776 1099511627776 - -"},
      {eyrie_value_new_u64(5), EYRIE_KIND_INT, "- 5 5 - -"},
      {eyrie_value_new_u64(kMax), EYRIE_KIND_INT,
       "- - 18446744073709551615 - -"},
      {eyrie_value_new_f32(1.5f), EYRIE_KIND_FLOAT, "- - - 1.5 -"},
      {eyrie_value_new_f64(0.1), EYRIE_KIND_FLOAT, "- - - 0.1 -"},
      {eyrie_value_new_bytes("text", 4), EYRIE_KIND_BYTES, "- - - - text"},
      {eyrie_value_new_bytes(nullptr, 0), EYRIE_KIND_BYTES, "- - - - "},
      {eyrie_value_new_list(nullptr, 0), EYRIE_KIND_LIST, "- - - - -"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.want);
    EXPECT_EQ(eyrie_value_kind(c.value), c.kind);
    EXPECT_EQ(Readings(c.value), c.want);
    eyrie_value_t* copy = eyrie_value_copy(c.value);
    EXPECT_EQ(Readings(copy), c.want);
    EXPECT_EQ(eyrie_value_ref_type(c.value), nullptr);
    eyrie_value_free(copy);
    eyrie_value_free(c.value);
  }
}

TEST(CValues, AreSetInPlace) {
  eyrie_value_t* value = eyrie_value_new_bytes("text", 4);
  eyrie_value_set_i32(value, -1);
  EXPECT_EQ(Readings(value), "- -1 - - -");
  eyrie_value_set_i64(value, 2);
  EXPECT_EQ(Readings(value), "- 2 2 - -");
  eyrie_value_set_u64(value, uint64_t{1} << 63);
  EXPECT_EQ(Readings(value), "- - 9223372036854775808 - -");
  eyrie_value_set_bool(value, 0);
  EXPECT_EQ(Readings(value), "0 - - - -");
  eyrie_value_set_f32(value, 0.5f);
  EXPECT_EQ(Readings(value), "- - - 0.5 -");
  eyrie_value_set_f64(value, 0.25);
  EXPECT_EQ(Readings(value), "- - - 0.25 -");
  eyrie_value_free(value);
}

TEST(CValues, ArraysAreSetInPlace) {
  const float numbers[] = {1, 2, 3, 4};
  const int64_t shape[] = {2, 2};
  const int64_t columns[] = {4, 8};
  struct Case {
    eyrie_array_t array;
    const char* want;  // the value, or the error
  };
  const Case cases[] = {
      {{sizeof(eyrie_array_t), EYRIE_DTYPE_F32, 2, shape, nullptr, numbers,
        sizeof(numbers)},
       "2x2x21000020=16"},
      {{sizeof(eyrie_array_t), EYRIE_DTYPE_F32, 2, shape, columns, numbers, 0},
       "2x2x21000020=16"},
      {{sizeof(eyrie_array_t), EYRIE_DTYPE_F32, 0, nullptr, nullptr, numbers,
        4},
       "21000020=4"},
      {{sizeof(eyrie_array_t), EYRIE_DTYPE_F32, 2, shape, nullptr, numbers, 4},
       "4 bytes are given; 2x2xf32 needs 16."},
      {{sizeof(eyrie_array_t), EYRIE_DTYPE_NONE, 2, shape, nullptr, numbers,
        sizeof(numbers)},
       "There is no element type 0x0."},
      {{sizeof(eyrie_array_t), EYRIE_DTYPE_UI8, 2, shape, nullptr, "abcd", 4},
       "2x2x12000008=4"},
  };
  eyrie_value_t* value = eyrie_value_new_bytes("text", 4);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.want);
    eyrie_error_t* error = eyrie_value_set_array(value, &c.array);
    if (error != nullptr) {
      EXPECT_STREQ(eyrie_error_message(error), c.want);
      EXPECT_EQ(eyrie_value_kind(value), EYRIE_KIND_NULL);
      eyrie_error_free(error);
      continue;
    }
    EXPECT_EQ(ValueText(value), c.want);
    // A copy keeps the array, and the next one does not change it.
    eyrie_value_t* copy = eyrie_value_copy(value);
    EXPECT_EQ(eyrie_value_set_array(value, &cases[0].array), nullptr);
    EXPECT_EQ(ValueText(copy), c.want);
    eyrie_value_free(copy);
  }
  eyrie_value_free(value);
}

TEST(CValues, Structures) {
  eyrie_value_t* numbers[] = {eyrie_value_new_i32(1), nullptr};
  eyrie_value_t* pair[] = {eyrie_value_new_tuple(numbers, 2),
                           eyrie_value_new_bytes("b", 1)};
  const char* keys[] = {"one", "two"};
  eyrie_value_t* dict = eyrie_value_new_dict(keys, nullptr, pair, 2);
  eyrie_value_t* items[] = {dict, eyrie_value_new_list(nullptr, 0)};
  eyrie_value_t* list = eyrie_value_new_list(items, 2);
  EXPECT_EQ(ValueText(list), "[{one: (1, null), two: \"b\"}, []]");
  eyrie_value_t* copy = eyrie_value_copy(list);
  // Items can be set in place.
  dict = eyrie_value_item(list, 0);
  eyrie_value_set_f64(eyrie_value_find(dict, "two", 3), 2.5);
  EXPECT_EQ(ValueText(list), "[{one: (1, null), two: 2.5f}, []]");
  EXPECT_EQ(ValueText(copy), "[{one: (1, null), two: \"b\"}, []]");
  EXPECT_EQ(eyrie_value_count(dict), 2u);
  EXPECT_STREQ(eyrie_value_key(dict, 1, nullptr), "two");
  EXPECT_EQ(eyrie_value_key(dict, 2, nullptr), nullptr);
  EXPECT_EQ(eyrie_value_key(list, 0, nullptr), nullptr);
  EXPECT_EQ(eyrie_value_item(list, 2), nullptr);
  EXPECT_EQ(eyrie_value_find(dict, "three", 5), nullptr);
  EXPECT_EQ(eyrie_value_find(list, "one", 3), nullptr);
  EXPECT_EQ(eyrie_value_count(nullptr), 0u);
  eyrie_value_free(copy);
  eyrie_value_free(list);
}

// Keys may contain NUL bytes.
TEST(CValues, SizedKeys) {
  using std::string_literals::operator""s;
  const eyrie::Value dict = eyrie::Value::Dict(
      {{"a\0b"s, eyrie::Value(1)}, {"a", eyrie::Value(2)}, {""s, {}}});
  EXPECT_EQ(dict.key_size(0), 3u);
  EXPECT_EQ(std::string(dict.key(0), dict.key_size(0)), "a\0b"s);
  EXPECT_EQ(dict.key_size(1), 1u);
  EXPECT_EQ(dict.key_size(2), 0u);
  EXPECT_EQ(dict.key_size(3), 0u);
  EXPECT_EQ(ValueText(dict.Find("a\0b"s).get()), "1");
  EXPECT_EQ(ValueText(dict.Find("a").get()), "2");
  EXPECT_EQ(dict.Find("a\0"s).get(), nullptr);
  size_t none = 1;
  EXPECT_EQ(eyrie_value_key(nullptr, 0, &none), nullptr);
  EXPECT_EQ(none, 0u);
}

TEST(CValues, Arrays) {
  struct Case {
    int dtype;
    std::vector<int64_t> shape;
    size_t size;
    const char* want;
  };
  const Case cases[] = {
      {EYRIE_DTYPE_F32, {2, 3}, 24, "2x3x21000020=24"},
      {EYRIE_DTYPE_F64, {}, 8, "21000040=8"},
      {EYRIE_DTYPE_I8, {0}, 0, "0x10000008=0"},
      {EYRIE_DTYPE_BF16, {3}, 6, "3x22000010=6"},
      {EYRIE_DTYPE_C128, {1}, 16, "1x23000080=16"},
      {EYRIE_DTYPE_F32, {2, 3}, 20, "3: 20 bytes are given; 2x3xf32 needs 24."},
      {EYRIE_DTYPE_F32, {2, -1}, 4, "3: Dimension 1 of 2x-1xf32 is below 0."},
      {EYRIE_DTYPE_F32,
       {1ll << 40, 1ll << 40},
       4,
       "3: The number of elements of 1099511627776x1099511627776xf32 exceeds "
       "64 bits."},
      {EYRIE_DTYPE_F32,
       {1ll << 60},
       0,
       "3: 0 bytes are given; 1152921504606846976xf32 needs "
       "4611686018427387904."},
      {EYRIE_DTYPE_NONE, {4}, 4, "3: There is no element type 0x0."},
      {0x7F000003, {4}, 4, "3: There is no element type 0x7f000003."},
  };
  const Bytes bytes(64);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.want);
    const auto dtype = static_cast<eyrie_dtype_t>(c.dtype);
    eyrie_value_t* value = nullptr;
    std::string text = ErrorText(eyrie_value_new_array(
        dtype, c.shape.size(), c.shape.data(), bytes.data(), c.size, &value));
    EXPECT_EQ(text == "OK" ? ArrayText(value) : text, c.want);
    eyrie_value_free(std::exchange(value, nullptr));
    // A borrowed array without strides is checked in the same way.
    const eyrie_array_t borrowed = {
        sizeof(borrowed), dtype,        c.shape.size(), c.shape.data(),
        nullptr,          bytes.data(), c.size};
    text = ErrorText(
        eyrie_value_new_borrowed(&borrowed, nullptr, nullptr, &value));
    EXPECT_EQ(text == "OK" ? ArrayText(value) : text, c.want);
    eyrie_value_free(value);
  }
  EXPECT_EQ(ArrayText(nullptr), "The value is null, not an array.");
}

// Returns the elements of an i32 array in row-major order, packed by a device.
std::string Elements(const eyrie_value_t* value) {
  eyrie_device_t* device = nullptr;
  eyrie_value_t* dense = nullptr;
  eyrie_array_t array = {};
  array.struct_size = sizeof(array);
  EXPECT_EQ(ErrorText(eyrie_device_open("local-sync", nullptr, &device)), "OK");
  EXPECT_EQ(ErrorText(eyrie_value_new_uploaded(value, device, &dense)), "OK");
  EXPECT_EQ(ErrorText(eyrie_value_get_array(dense, &array)), "OK");
  const auto* numbers = static_cast<const int32_t*>(array.data);
  const std::string text = absl::StrJoin(
      std::span<const int32_t>(numbers, array.size / sizeof(int32_t)), " ");
  eyrie_value_free(dense);
  eyrie_device_release(device);
  return text;
}

TEST(CValues, BorrowedMemoryIsGivenBackOnce) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  struct Case {
    std::vector<int64_t> shape;
    std::vector<int64_t> strides;
    size_t first;  // index of the first element in `numbers`
    const char* want;
  };
  const Case cases[] = {
      {{2, 3}, {12, 4}, 0, "0 1 2 3 4 5"},
      {{3, 2}, {4, 12}, 0, "0 3 1 4 2 5"},
      {{6}, {-4}, 5, "5 4 3 2 1 0"},
      {{2, 3}, {0, -8}, 4, "4 2 0 4 2 0"},
      {{}, {}, 3, "3"},
      {{0}, {kMax}, 0, ""},
      {{3}, {kMax}, 0, "3: The strides of 3xi32 exceed 64 bits."},
      {{-3}, {4}, 0, "3: Dimension 0 of -3xi32 is below 0."},
  };
  const int32_t numbers[] = {0, 1, 2, 3, 4, 5};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.want);
    int released = 0;
    const int64_t none = 0;
    const eyrie_array_t array = {sizeof(array),
                                 EYRIE_DTYPE_I32,
                                 c.shape.size(),
                                 c.shape.data(),
                                 c.strides.empty() ? &none : c.strides.data(),
                                 numbers + c.first,
                                 0};
    eyrie_value_t* value = nullptr;
    const std::string text = ErrorText(eyrie_value_new_borrowed(
        &array, [](void* user) { ++*static_cast<int*>(user); }, &released,
        &value));
    EXPECT_EQ(released, text == "OK" ? 0 : 1);
    if (text != "OK") {
      EXPECT_EQ(text, c.want);
      continue;
    }
    eyrie_array_t read = {};
    read.struct_size = sizeof(read);
    ASSERT_EQ(ErrorText(eyrie_value_get_array(value, &read)), "OK");
    EXPECT_EQ(read.data, numbers + c.first);
    EXPECT_EQ(std::vector<int64_t>(read.strides, read.strides + read.rank),
              c.strides);
    EXPECT_EQ(Elements(value), c.want);
    // Copies share the memory.
    eyrie_value_t* copy = eyrie_value_copy(value);
    eyrie_value_add_access(copy, EYRIE_ACCESS_LEND);
    eyrie_value_add_access(copy, EYRIE_ACCESS_ALLOW_LOSS);
    eyrie_value_free(value);
    EXPECT_EQ(released, 0);
    eyrie_value_free(copy);
    EXPECT_EQ(released, 1);
  }
}

}  // namespace
}  // namespace eyrie
