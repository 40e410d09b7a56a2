// Tests calls through the C and C++ APIs whose results go into the caller's
// memory.
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "eyrie/prepared_call.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"

namespace eyrie {
namespace {

std::string ErrorOf(const Result<std::vector<Value>>& result) {
  return result ? "OK" : result.error().message();
}

Result<Context> OpenModule(const std::string& file) {
  auto device = Device::Open("local-sync");
  auto module = Module::Load("tests/modules/3.13/" + file);
  if (!module) return module.error();
  return Context::Create(*device, *module);
}

TEST(CppOut, ResultsGoIntoMemory) {
  const struct {
    const char* file;
    const char* function;
    unsigned copied;
  } kRows[] = {
      {"add.vmfb", "add", 3},
      {"add.async.vmfb", "add", 3},
      {"destination.vmfb", "add_into", 2},
  };
  for (const auto& row : kRows) {
    auto context = OpenModule(row.file);
    ASSERT_TRUE(context);
    auto function = context->Find(row.function);
    alignas(64) float numbers[4] = {};
    const Value a = *Value::Array({4}, {1.f, 2.f, 3.f, 4.f});
    const Value out = *Value::Borrow({4}, numbers);
    auto results = function->CallOut({out}, {a, a});
    ASSERT_EQ(ErrorOf(results), "OK");
    EXPECT_EQ(std::vector<float>(numbers, numbers + 4),
              (std::vector<float>{2, 4, 6, 8}));
    EXPECT_EQ(results->front().elements<float>()->data(), numbers);
    EXPECT_EQ(function->statistics().copied, row.copied);
    // By name, and without an array.
    results = function->CallOut({}, {a}, {{"input1", out}});
    ASSERT_EQ(ErrorOf(results), "OK");
    EXPECT_EQ((*results)[0].elements<float>()->back(), 12);
    EXPECT_EQ(numbers[3], 8);
    results = function->CallOut({Value()}, {a, a});
    ASSERT_EQ(ErrorOf(results), "OK");
    EXPECT_NE(results->front().elements<float>()->data(), numbers);
  }
}

// Each call of a prepared call writes to the same memory.
TEST(CppOut, PreparedCalls) {
  const struct {
    const char* file;
    const char* function;
    unsigned copied;  // by each call
  } kRows[] = {
      {"add.vmfb", "add", 1},
      {"add.async.vmfb", "add", 1},
      {"destination.vmfb", "add_into", 0},
      {"destination.async.vmfb", "add_into", 0},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.file);
    auto context = OpenModule(row.file);
    ASSERT_TRUE(context);
    auto function = context->Find(row.function);
    alignas(64) float input[4] = {1, 2, 3, 4};
    alignas(64) float sums[4] = {};
    Value x = *Value::Borrow({4}, input);
    x.Lend();
    const Value ones = *Value::Array({4}, {1.f, 1.f, 1.f, 1.f});
    auto call = PreparedCall::Prepare(*function, {x, ones}, {},
                                      {*Value::Borrow({4}, sums)});
    ASSERT_TRUE(call) << call.error().message();
    for (int i = 0; i < 3; ++i) {
      input[0] = static_cast<float>(i);
      sums[0] = -1;
      ASSERT_TRUE(call->Run());
      EXPECT_EQ(std::vector<float>(sums, sums + 4),
                (std::vector<float>{i + 1.f, 3, 4, 5}));
      EXPECT_EQ(call->results()[0].elements<float>()->data(), sums);
      EXPECT_EQ(function->statistics().copied, row.copied);
    }
    // An array that cannot take the result is refused before the first call.
    EXPECT_EQ(PreparedCall::Prepare(*function, {x, x}, {},
                                    {*Value::Array({2}, {1.f, 2.f})})
                  .error()
                  .message(),
              "Result 0: the array 2xf32 is given as its memory; "
              "dimension 0 is 2, expected 4 (4xf32).");
  }
}

// A function that updates an argument that was given away does so in place.
TEST(CppOut, ArgumentsThatAreGivenAway) {
  auto context = OpenModule("consume.vmfb");
  ASSERT_TRUE(context);
  for (const char* function : {"put", "put_unmarked"}) {
    auto put = context->Find(function);
    const Value row = *Value::Array({2}, {-1.f, -2.f});
    Value cache = *Value::Array({8}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f});
    // Otherwise the caller's elements do not change.
    auto results = put->Call({cache, row, 3});
    ASSERT_EQ(ErrorOf(results), "OK");
    EXPECT_EQ(cache.elements<float>()->data()[3], 4);
    cache = results->front();
    const float* const memory = cache.elements<float>()->data();
    results->clear();
    for (int step = 0; step < 3; ++step) {
      results = put->Call({std::move(cache).Donate(), row, step});
      ASSERT_EQ(ErrorOf(results), "OK");
      EXPECT_EQ(cache.kind(), EYRIE_KIND_NULL);
      cache = std::move(results->front());
      EXPECT_EQ(cache.elements<float>()->data(), memory);
      EXPECT_EQ(put->statistics().copied, 1u);  // the row
    }
    const auto elements = *cache.elements<float>();
    EXPECT_EQ(std::vector<float>(elements.begin(), elements.end()),
              (std::vector<float>{-1, -1, -1, -2, -2, 6, 7, 8}));
  }
}

TEST(CppOut, MemoryThatCannotTakeResults) {
  auto context = OpenModule("add.vmfb");
  auto add = context->Find("add");
  const Value a = *Value::Array({4}, {1.f, 2.f, 3.f, 4.f});
  static const float kFixed[4] = {};
  const struct {
    std::vector<Value> outs;
    const char* want;
  } kRows[] = {
      {{*Value::Borrow({4}, kFixed)},
       "Result 0: a read-only array cannot receive a result."},
      {{*Value::Array({2}, {1.f, 2.f})},
       "Result 0: the array 2xf32 is given as its memory; "
       "dimension 0 is 2, expected 4 (4xf32)."},
      {{Value("text")},
       "Result 0: a string of 4 bytes is given as its memory; an "
       "array is expected."},
      {{a, a}, "Function 'add' has 1 result; arrays for 2 are given."},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(ErrorOf(add->CallOut(row.outs, {a, a})), row.want);
  }
  // There must be room for the results, too.
  eyrie_value_t* const arguments[] = {a.get(), a.get()};
  eyrie_value_t* const out = a.get();
  const eyrie_call_args_t args = ArgsOf(arguments, {}, {&out, 1});
  eyrie_error_t* error =
      eyrie_function_call(add->get(), &args, nullptr, nullptr, 0);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(Error(error).code(), EYRIE_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace eyrie
