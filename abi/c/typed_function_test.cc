// Tests typed functions of the embedding API: which C++ types bind, and the
// results of calls.
#include "eyrie/typed_function.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "tests/support/contexts.h"

namespace eyrie {
namespace {

// Returns "OK", or the error's message.
template <typename Signature>
std::string Bind(Context& context, const std::string& name) {
  auto found = context.Find<Signature>(name);
  return found ? "OK" : found.error().message();
}

TEST(TypedFunctionTest, ChecksTypesWhenItIsFound) {
  Context scalars = tests::OpenContext("3.13/scalars.vmfb");
  const std::string i32 = "Function pass_i32(input0: i32) -> (output0: i32)";
  EXPECT_EQ(Bind<int32_t(int32_t)>(scalars, "pass_i32"), "OK");
  EXPECT_EQ(Bind<int64_t(int16_t)>(scalars, "pass_i32"), "OK");
  EXPECT_EQ(Bind<Value(Value)>(scalars, "pass_i32"), "OK");
  EXPECT_EQ(Bind<int32_t(int64_t)>(scalars, "pass_i32"),
            i32 + ": argument 0 is i32; C++ has an integer of 64 bits.");
  EXPECT_EQ(Bind<int16_t(int32_t)>(scalars, "pass_i32"),
            i32 + ": result 0 is i32; C++ has an integer of 16 bits.");
  EXPECT_EQ(Bind<int32_t(float)>(scalars, "pass_i32"),
            i32 + ": argument 0 is i32; C++ has a float of 32 bits.");
  EXPECT_EQ(Bind<int32_t(std::string)>(scalars, "pass_i32"),
            i32 + ": argument 0 is i32; C++ has bytes.");
  EXPECT_EQ(Bind<int32_t()>(scalars, "pass_i32"),
            i32 + " has 1 argument; C++ has 0.");
  EXPECT_EQ(Bind<void(int32_t)>(scalars, "pass_i32"),
            i32 + " has 1 result; C++ has 0.");
  EXPECT_EQ(Bind<double(float)>(scalars, "pass_f32"), "OK");
  EXPECT_EQ(Bind<bool(bool)>(scalars, "pass_i1"), "OK");
  EXPECT_NE(Bind<int(int)>(scalars, "nothing").find("exports no function"),
            std::string::npos);
  Context add = tests::OpenContext("3.13/add.vmfb");
  using Floats = Tensor<float>;
  EXPECT_EQ((Bind<Floats(Floats, Tensor<>)>(add, "add")), "OK");
  EXPECT_EQ((Bind<Tensor<double>(Floats, Floats)>(add, "add")),
            "Function add(input0: 4xf32, input1: 4xf32) -> (output0: 4xf32): "
            "result 0 is 4xf32; C++ has an array of another element type.");
}

TEST(TypedFunctionTest, Calls) {
  Context scalars = tests::OpenContext("3.13/scalars.vmfb");
  auto pass = scalars.Find<int64_t(int32_t)>("pass_i32");
  for (const int32_t number : {0, -1, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(*(*pass)(number), number);
  }
  EXPECT_EQ(*(*scalars.Find<bool(bool)>("pass_i1"))(true), true);
  EXPECT_EQ(*(*scalars.Find<float(float)>("pass_f32"))(0.1f), 0.1f);
  auto element = scalars.Find<float(Tensor<float>, int64_t)>("element");
  auto row = Tensor<float>::Copy({4}, {1.0f, 2.0f, 3.0f, 4.5f});
  EXPECT_EQ(*(*element)(*row, 3), 4.5f);
  EXPECT_EQ(row->elements()[3], 4.5f);  // the caller still owns it
  Context strings = tests::OpenContext("3.13/strings.vmfb");
  EXPECT_EQ(*(*strings.Find<std::string()>("hello"))(), "hello, eyrie");
  Context counter = tests::OpenContext("3.13/counter.vmfb");
  auto next = counter.Find<int32_t()>("next");
  EXPECT_EQ(*(*next)(), 1);
  EXPECT_EQ(*(*next)(), 2);
}

// Integers of the other sign are accepted if their values fit.
TEST(TypedFunctionTest, IntegersFit) {
  Context sharing = tests::OpenContext("3.13/sharing.vmfb");
  using Naturals = Tensor<uint8_t>;
  using Integers = Tensor<int8_t>;
  auto pass = sharing.Find<Integers(Naturals)>("signed");
  ASSERT_TRUE(pass) << pass.error().message();
  auto good = (*pass)(*Naturals::Copy({1, 2}, std::vector<uint8_t>{1, 127}));
  ASSERT_TRUE(good) << good.error().message();
  EXPECT_EQ(good->elements()[1], 127);
  EXPECT_EQ((*pass)(*Naturals::Copy({1, 2}, std::vector<uint8_t>{1, 200}))
                .error()
                .message(),
            "Argument 0 ('input0')[0][1]: 200 is out of range for si8 (-128 "
            "to 127).");
  auto unsign = sharing.Find<Integers(Integers)>("unsigned");
  ASSERT_TRUE(unsign) << unsign.error().message();
  EXPECT_EQ(
      (*unsign)(*Integers::Copy({1, 2}, std::vector<int8_t>{5, -1}))
          .error()
          .message(),
      "Argument 0 ('input0')[0][1]: -1 is out of range for ui8 (0 to 255).");
  // A result that does not fit the C++ type.
  auto read = sharing.Find<Integers(Naturals)>("unsigned");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_TRUE((*read)(*Naturals::Copy({1, 2}, std::vector<uint8_t>{1, 2})));
  EXPECT_EQ((*read)(*Naturals::Copy({1, 2}, std::vector<uint8_t>{1, 200}))
                .error()
                .message(),
            "The array has an integer that is out of the range of the type "
            "asked for.");
}

struct alignas(64) Four {
  float numbers[4] = {1, 2, 3, 4};
};

// Const elements are copied even if they are lent, so that nothing shares them.
TEST(TypedFunctionTest, ConstElementsAreNotWritten) {
  for (const char* name : {"same", "write"}) {
    Context sharing = tests::OpenContext("3.13/sharing.vmfb");
    auto function = sharing.Find(name);
    Four memory;
    const std::span<const float> fixed(memory.numbers);
    const std::span<float> open(memory.numbers);
    const bool writes = std::string(name) == "write";
    const auto call = [&](Value array) {
      array.Lend();
      std::vector<Value> arguments = {std::move(array)};
      if (writes) arguments.emplace_back(int64_t{2});
      auto results = function->Call(arguments);
      EXPECT_TRUE(results);
      return results->front().elements<float>()->data() == memory.numbers;
    };
    EXPECT_FALSE(call(*Value::Borrow({4}, fixed)));
    auto said = *Value::Borrow({4}, open);
    said.SetReadOnly();
    EXPECT_FALSE(call(std::move(said)));
    const Tensor<float> tensor = *Tensor<float>::Borrow({4}, fixed);
    EXPECT_FALSE(call(tensor.value()));
    EXPECT_EQ(memory.numbers[2], 3);
    EXPECT_TRUE(call(*Value::Borrow({4}, open)));
    EXPECT_EQ(memory.numbers[2], writes ? 7 : 3);
  }
}

TEST(TypedFunctionTest, ReturnsSeveral) {
  Context scalars = tests::OpenContext("3.13/scalars.vmfb");
  using All =
      std::tuple<float, int64_t, int64_t, int32_t, int16_t, int8_t, bool>;
  auto all =
      scalars
          .Find<All(bool, int8_t, int16_t, int32_t, int64_t, int64_t, float)>(
              "all");
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_TRUE(*(*all)(true, -2, 3, 4, 5, 6, 7.5f) ==
              All(7.5f, 6, 5, 4, 3, -2, true));
  Context add = tests::OpenContext("3.13/add.vmfb");
  auto sum = add.Find<Tensor<float>(Tensor<float>, Tensor<float>)>("add");
  auto four = Tensor<float>::Copy({4}, std::vector<float>{1, 2, 3, 4});
  auto twice = (*sum)(*four, *four);
  ASSERT_TRUE(twice) << twice.error().message();
  EXPECT_EQ(
      std::vector<float>(twice->elements().begin(), twice->elements().end()),
      (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(twice->shape().size(), 1u);
  auto three = Tensor<float>::Copy({3}, {1.0f, 2.0f, 3.0f});
  EXPECT_EQ((*sum)(*four, *three).error().code(), EYRIE_INVALID_ARGUMENT);
  EXPECT_EQ((*sum)(Tensor<float>(), *four).error().code(),
            EYRIE_INVALID_ARGUMENT);
  EXPECT_EQ(Tensor<float>::Copy({3}, {1.0f}).error().code(),
            EYRIE_INVALID_ARGUMENT);
  EXPECT_EQ(Tensor<int32_t>::From(four->value()).error().code(),
            EYRIE_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace eyrie
