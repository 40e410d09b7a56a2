// Tests calls through the C and C++ APIs whose results go into the caller's
// memory.
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

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
  eyrie_error_t* error = eyrie_function_call_out(
      add->get(), arguments, 2, nullptr, 0, &out, 1, nullptr, 0);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(Error(error).code(), EYRIE_RESOURCE_EXHAUSTED);
}

}  // namespace
}  // namespace eyrie
