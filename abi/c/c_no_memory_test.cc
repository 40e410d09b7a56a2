// Tests that values of the C API whose allocation fails are of
// EYRIE_KIND_NO_MEMORY, and that functions refuse them.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/strings/str_cat.h"
#include "eyrie/c.h"
#include "eyrie/c_fence.h"
#include "eyrie/runtime.h"
#include "eyrie/value.h"
#include "gtest/gtest.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/module_builder.h"

namespace eyrie {
namespace {

using tests::FailingAllocations;

constexpr size_t kLarge = size_t{1} << 17;

// Returns items for a list: `count` times the number 7.
std::vector<eyrie_value_t*> Sevens(size_t count) {
  std::vector<eyrie_value_t*> items(count);
  for (eyrie_value_t*& item : items) item = eyrie_value_new_i32(7);
  return items;
}

struct Constructor {
  const char* name;
  // The number of items, which are created before allocations fail.
  size_t items;
  std::function<eyrie_value_t*(std::vector<eyrie_value_t*>&)> make;
};

// Fails in turn each allocation of at least `least` bytes that a constructor
// makes. Returns the number of these allocations.
uint64_t FailEach(const Constructor& row, size_t least) {
  for (uint64_t n = 1;; ++n) {
    std::vector<eyrie_value_t*> items = Sevens(row.items);
    eyrie_value_t* value = nullptr;
    uint64_t failed = 0;
    {
      const FailingAllocations failing(least, n, /*onwards=*/least > 1);
      value = row.make(items);
      failed = failing.failed();
    }
    EXPECT_EQ(eyrie_value_kind(value) == EYRIE_KIND_NO_MEMORY, failed > 0)
        << row.name << ", allocation " << n;
    eyrie_value_free(value);
    if (failed == 0) return n - 1;
  }
}

TEST(CNoMemory, Constructors) {
  const std::string text(kLarge, 'x');
  const std::vector<const char*> keys(kLarge, "key");
  const std::vector<size_t> sizes(kLarge, 3);
  const char* const long_key = text.c_str();
  const Value bytes(text);
  const Value list = Value::List(std::vector<Value>(kLarge, Value(1)));
  const Value dict = Value::Dict({{text, Value(text)}});
  using Items = std::vector<eyrie_value_t*>;
  const Constructor rows[] = {
      {"null", 0, [](Items&) { return eyrie_value_new_null(); }},
      {"bool", 0, [](Items&) { return eyrie_value_new_bool(1); }},
      {"i32", 0, [](Items&) { return eyrie_value_new_i32(1); }},
      {"i64", 0, [](Items&) { return eyrie_value_new_i64(1); }},
      {"u64", 0, [](Items&) { return eyrie_value_new_u64(1); }},
      {"f32", 0, [](Items&) { return eyrie_value_new_f32(1); }},
      {"f64", 0, [](Items&) { return eyrie_value_new_f64(1); }},
      {"bytes", 0,
       [&](Items&) { return eyrie_value_new_bytes(text.data(), text.size()); }},
      {"list", kLarge,
       [](Items& items) {
         return eyrie_value_new_list(items.data(), items.size());
       }},
      {"tuple", kLarge,
       [](Items& items) {
         return eyrie_value_new_tuple(items.data(), items.size());
       }},
      {"dict", kLarge,
       [&](Items& items) {
         return eyrie_value_new_dict(keys.data(), nullptr, items.data(),
                                     items.size());
       }},
      {"dict, long key", 1,
       [&](Items& items) {
         return eyrie_value_new_dict(&long_key, nullptr, items.data(), 1);
       }},
      {"dict, sized keys", kLarge,
       [&](Items& items) {
         return eyrie_value_new_dict(keys.data(), sizes.data(), items.data(),
                                     items.size());
       }},
      {"copy of null", 0, [](Items&) { return eyrie_value_copy(nullptr); }},
      {"copy of bytes", 0,
       [&](Items&) { return eyrie_value_copy(bytes.get()); }},
      {"copy of a list", 0,
       [&](Items&) { return eyrie_value_copy(list.get()); }},
      {"copy of a dict", 0,
       [&](Items&) { return eyrie_value_copy(dict.get()); }},
  };
  for (const Constructor& row : rows) {
    EXPECT_GE(FailEach(row, 1), 1u) << row.name;
    FailEach(row, kLarge);
  }
}

eyrie_value_t* NoMemory() {
  const FailingAllocations failing(1, 1, /*onwards=*/true);
  return eyrie_value_new_null();
}

TEST(CNoMemory, TheValueStaysAsItIs) {
  eyrie_value_t* const value = NoMemory();
  int boolean = 5;
  double number = 5;
  eyrie_value_set_bool(value, 1);
  eyrie_value_set_i32(value, 1);
  eyrie_value_set_i64(value, 1);
  eyrie_value_set_u64(value, 1);
  eyrie_value_set_f32(value, 1);
  eyrie_value_set_f64(value, 1);
  EXPECT_EQ(eyrie_value_is_sole_owner(value), 0);
  eyrie_value_add_access(value, EYRIE_ACCESS_LEND);
  eyrie_value_add_access(value, EYRIE_ACCESS_READ_ONLY);
  eyrie_value_add_access(value, EYRIE_ACCESS_ALLOW_LOSS);
  EXPECT_EQ(eyrie_value_get_bool(value, &boolean), 0);
  EXPECT_EQ(eyrie_value_get_f64(value, &number), 0);
  EXPECT_EQ(eyrie_value_count(value), 0u);
  EXPECT_EQ(ValueText(value), "no memory");
  EXPECT_EQ(ValueText(nullptr), "null");
  eyrie_value_free(value);
  EXPECT_EQ(ValueText(value), "no memory");
}

// A container with a value of this kind is of the same kind.
TEST(CNoMemory, Spreads) {
  const char* const keys[] = {"a", "b"};
  const auto items = [] {
    return std::vector<eyrie_value_t*>{eyrie_value_new_bytes("text", 4),
                                       NoMemory()};
  };
  eyrie_value_t* const values[] = {
      eyrie_value_copy(NoMemory()),
      eyrie_value_new_list(items().data(), 2),
      eyrie_value_new_tuple(items().data(), 2),
      eyrie_value_new_dict(keys, nullptr, items().data(), 2),
      Value(Value::Adopt(NoMemory())).Release(),
      Value::List({Value::Adopt(NoMemory()), Value(1)}).Release(),
  };
  for (const eyrie_value_t* value : values) {
    EXPECT_EQ(ValueText(value), "no memory");
  }
}

// A device, and a context with a function of two numbers.
class CNoMemoryCalls : public testing::Test {
 protected:
  void SetUp() override {
    tests::ModuleBuilder builder;
    builder.AddFunction("add", "0ii_i", "entry: add.i32 i0 i1 i2 return [i2]");
    const std::vector<uint8_t> file = builder.Build();
    ASSERT_EQ(ErrorText(eyrie_device_open("local-sync", nullptr, &device_)),
              "OK");
    ASSERT_EQ(ErrorText(eyrie_module_load_memory(file.data(), file.size(),
                                                 EYRIE_MEMORY_COPY, nullptr,
                                                 nullptr, &module_)),
              "OK");
    ASSERT_EQ(ErrorText(eyrie_context_create(&module_, 1, &device_, 1, nullptr,
                                             &context_)),
              "OK");
    ASSERT_EQ(ErrorText(eyrie_context_find_function(context_, "add", &add_)),
              "OK");
    one_ = eyrie_value_new_i32(1);
  }
  void TearDown() override {
    eyrie_value_free(one_);
    eyrie_context_release(context_);
    eyrie_module_release(module_);
    eyrie_device_release(device_);
  }

  eyrie_device_t* device_ = nullptr;
  eyrie_module_t* module_ = nullptr;
  eyrie_context_t* context_ = nullptr;
  eyrie_function_t* add_ = nullptr;
  eyrie_value_t* one_ = nullptr;
};

TEST_F(CNoMemoryCalls, WhatTakesValuesFails) {
  const char* const kArgument =
      "8: There was no memory for the value of argument 1, counted from 0.";
  const char* const kValue = "8: There was no memory for the value.";
  eyrie_value_t* const given[] = {one_, NoMemory()};
  const char* const name = "input1";
  eyrie_value_t* result = nullptr;
  eyrie_prepared_call_t* prepared = nullptr;
  eyrie_pending_call_t* call = nullptr;
  eyrie_fence_t* fence = nullptr;
  eyrie_array_t array = {};
  array.struct_size = sizeof(array);
  ASSERT_EQ(ErrorText(eyrie_fence_create(device_, &fence)), "OK");
  const eyrie_call_args_t args = ArgsOf(given);
  const eyrie_call_args_t by_name = ArgsOf(given, {&name, 1});
  const eyrie_call_args_t with_out = ArgsOf({&one_, 1}, {}, {given + 1, 1});
  eyrie_call_options_t options = {};
  options.struct_size = sizeof(options);
  options.signal = fence;
  struct Case {
    const char* name;
    eyrie_error_t* error;
    const char* want;
  };
  const Case cases[] = {
      {"call", eyrie_function_call(add_, &args, nullptr, &result, 1),
       kArgument},
      {"call by name", eyrie_function_call(add_, &by_name, nullptr, &result, 1),
       kArgument},
      {"call with out",
       eyrie_function_call(add_, &with_out, nullptr, &result, 1),
       "8: There was no memory for the array of result 0."},
      {"prepare", eyrie_function_prepare(add_, &args, &prepared), kArgument},
      {"begin",
       eyrie_function_begin(
           add_, &args, nullptr, [](void*) {}, nullptr, &call),
       kArgument},
      {"call with a signal",
       eyrie_function_call(add_, &args, &options, &result, 1), kArgument},
      {"wait", eyrie_fence_wait(fence, -1), kArgument},
      {"array", eyrie_value_get_array(given[1], &array), kValue},
      {"upload", eyrie_value_new_uploaded(given[1], device_, &result), kValue},
  };
  for (const Case& c : cases) EXPECT_EQ(ErrorText(c.error), c.want) << c.name;
  EXPECT_EQ(result, nullptr);
  eyrie_fence_release(fence);
}

// A result can replace a value of EYRIE_KIND_NO_MEMORY.
TEST_F(CNoMemoryCalls, ResultsReplaceIt) {
  eyrie_value_t* const given[] = {one_, one_};
  eyrie_value_t* result = NoMemory();
  const eyrie_call_args_t args = ArgsOf(given);
  EXPECT_EQ(ErrorText(eyrie_function_call(add_, &args, nullptr, &result, 1)),
            "OK");
  EXPECT_EQ(ValueText(result), "2");
  eyrie_value_free(result);
}

// If an error cannot be allocated, the caller gets NoMemoryError(). A long
// message of the caller is truncated, because a status cannot report that it
// has no memory for it.
TEST_F(CNoMemoryCalls, Errors) {
  constexpr size_t kLongest = 32768;
  const std::string message(kLarge, 'x');
  eyrie_fence_t* fence = nullptr;
  ASSERT_EQ(ErrorText(eyrie_fence_create(device_, &fence)), "OK");
  eyrie_error_t* error = nullptr;
  {
    const FailingAllocations failing(kLongest, 2, /*onwards=*/true);
    eyrie_fence_fail(fence, EYRIE_ABORTED, message.c_str());
    error = eyrie_fence_wait(fence, -1);
  }
  EXPECT_EQ(ErrorText(error), "8: No memory.");
  EXPECT_EQ(ErrorText(eyrie_fence_wait(fence, -1)),
            "10: " + std::string(kLongest, 'x'));
  eyrie_fence_release(fence);
}

}  // namespace
}  // namespace eyrie
