// Tests calls through the C++ API with every kind of value: by position and
// name, with arrays lent and copied, and reading of signatures.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "eyrie/prepared_call.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "tests/support/allocations.h"
#include "tests/support/module_builder.h"

namespace eyrie {
namespace {

Result<Context> Open(const std::string& file) {
  auto device = Device::Open("local-sync");
  auto module = Module::Load("tests/modules/" + file);
  if (!module) return module.error();
  return Context::Create(*device, *module);
}

// Returns a context with a function that returns its arguments, and has these
// records.
Result<Context> Echo(const std::string& convention, const std::string& records,
                     const std::string& code = "entry: return [r0]") {
  tests::ModuleBuilder builder;
  builder.name = "echo";
  builder.AddFunction("echo", convention.c_str(), code.c_str()).attributes = {
      {"iree.abi", records}};
  const std::vector<uint8_t> bytes = builder.Build();
  auto device = Device::Open("local-sync");
  auto module = Module::Load(std::as_bytes(std::span(bytes)));
  if (!module) return module.error();
  return Context::Create(*device, *module);
}

TEST(CppCalls, EveryKindOfValue) {
  const std::string any = R"({"a":["unknown"],"r":["unknown"]})";
  const std::string dict =
      R"(["sdict",["i",["stuple","i32","f32"]],["s",["slist","unknown"]]])";
  const struct {
    std::string records;
    Value value;
    const char* want;
  } kRows[] = {
      {any, nullptr, "null"},
      {any, Value::List({1, 2.5, "text", nullptr, true, int64_t{7}}),
       "[1, 2.5f, \"text\", null, 1, 7]"},
      {any, Value::Tuple({-1, Value::List({})}), "[-1, []]"},
      {any, Value::Dict({{"b", 2}, {"a", 1.5f}}), "[1.5f, 2]"},
      {any, std::string("text"), "\"text\""},
      {any, *Value::Array({2, 2}, {1.f, 2.f, 3.f, 4.f}), "2x2x21000020=16"},
      {any, *Value::Array({}, {int8_t{3}}), "11000008=1"},
      {absl::StrCat(R"({"a":[)", dict, R"(],"r":[)", dict, "]}"),
       Value::Dict({{"s", Value::List({"x"})}, {"i", Value::Tuple({1, 2})}}),
       "{i: (1, 2f), s: [\"x\"]}"},
      {absl::StrCat(R"({"a":[)", dict, R"(],"r":[)", dict, "]}"),
       Value::Dict({{"s", 1}, {"i", 2}}),
       "3: Argument 0['i']: the integer 2 is given; (i32, f32) is expected."},
      {any, 1,
       "3: Argument 0: the integer 1 is given; a reference is expected."},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.want);
    auto context = Echo("0r_r", row.records);
    ASSERT_EQ(Text(context), "OK");
    EXPECT_EQ(Text(context->Call("echo", {row.value})), row.want);
  }
}

TEST(CppCalls, ScalarsOfEveryWidth) {
  auto context = Echo("0iIfFi_iIfFi",
                      R"({"a":["ui8","i64","f32","f64","i1"],)"
                      R"("r":["ui8","i64","f32","f64","i1"]})",
                      "entry: return [i0 i2 i4 i6 i8]");
  ASSERT_EQ(Text(context), "OK");
  auto results =
      context->Call("echo", {uint8_t{200}, int64_t{1} << 40, 0.5f, 0.1, true});
  ASSERT_EQ(Text(results), "200 1099511627776 0.5f 0.1f true");
  const Value& byte = (*results)[0];
  EXPECT_EQ(byte.As<int>(), 200);
  EXPECT_EQ(byte.As<uint8_t>(), 200);
  EXPECT_EQ(byte.As<int8_t>(), std::nullopt);
  EXPECT_EQ(byte.As<double>(), std::nullopt);
  EXPECT_EQ((*results)[1].As<int32_t>(), std::nullopt);
  EXPECT_EQ((*results)[2].As<float>(), 0.5f);
  EXPECT_EQ((*results)[3].As<double>(), 0.1);
  EXPECT_EQ((*results)[4].As<bool>(), true);
  EXPECT_EQ((*results)[4].As<int>(), std::nullopt);
  EXPECT_EQ(Value(~uint64_t{0}).As<uint64_t>(), ~uint64_t{0});
  EXPECT_EQ(Value("text").As<std::string_view>(), "text");
}

TEST(CppCalls, ByPositionAndByName) {
  auto context = Open("3.13/abi_v1.vmfb");
  ASSERT_EQ(Text(context), "OK");
  const Value x = *Value::Array({2}, {5.f, 5.f});
  const Value y = *Value::Array({2}, {1.f, 2.f});
  auto named = context->Find("named");
  ASSERT_EQ(Text(named), "OK");
  const struct {
    std::vector<Value> positional;
    std::vector<Value::Entry> named;
    const char* want;
  } kRows[] = {
      {{x, y}, {}, "2x21000020=8"},
      {{x}, {{"y", y}}, "2x21000020=8"},
      {{}, {{"y", y}, {"x", x}}, "2x21000020=8"},
      {{}, {{"y", y}, {"x", Value::List({5, 5})}}, "2x21000020=8"},
      {{x}, {{"x", y}}, "3: Function 'named' got multiple values for 'x'."},
      {{x},
       {{"z", y}},
       "3: Function 'named' got an unexpected keyword argument 'z': named(x: "
       "?xf32, y: ?xf32) -> (output0: ?xf32)."},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.want);
    EXPECT_EQ(Text(named->Call(row.positional, row.named)), row.want);
  }
  EXPECT_EQ(Floats((*named->Call({x, y}))[0]), "3 1");
  auto sum = context->Call(
      "dict", {Value::Dict({{"b", 10}, {"a", Value::List({1, 2})}})});
  EXPECT_EQ(Text(sum), "2x10000020=8");
}

TEST(CppCalls, SignaturesAreRead) {
  auto context = Open("3.13/abi_v1.vmfb");
  ASSERT_EQ(Text(context), "OK");
  auto named = context->Find("named");
  ASSERT_EQ(Text(named), "OK");
  EXPECT_EQ(named->get(), context->Find("named")->get());
  const eyrie_signature_t signature = named->signature();
  EXPECT_STREQ(signature.text, "named(x: ?xf32, y: ?xf32) -> (output0: ?xf32)");
  EXPECT_TRUE(absl::StartsWith(signature.json, R"({"source":"iree.abi",)"));
  EXPECT_STREQ(signature.source, "iree.abi");
  EXPECT_STREQ(signature.error, "");
  const auto arguments = named->arguments();
  ASSERT_EQ(arguments.size(), 2u);
  EXPECT_STREQ(arguments[1].name, "y");
  EXPECT_STREQ(arguments[1].type, "?xf32");
  EXPECT_EQ(arguments[1].kind, EYRIE_KIND_ARRAY);
  EXPECT_EQ(arguments[1].dtype, EYRIE_DTYPE_F32);
  EXPECT_EQ(arguments[1].is_keyword, 1);
  EXPECT_EQ(arguments[1].storage_of, -1);
  ASSERT_EQ(arguments[1].rank, 1);
  EXPECT_EQ(arguments[1].shape[0], -1);
  ASSERT_EQ(named->results().size(), 1u);
  EXPECT_STREQ(named->results()[0].name, "output0");
}

// Signatures give the kind of every type.
TEST(CppCalls, SignaturesSayKinds) {
  const struct {
    const char* record;
    eyrie_kind_t kind;
    int64_t rank;
  } kRows[] = {
      {R"("unknown")", EYRIE_KIND_ANY, -1},
      {"null", EYRIE_KIND_NULL, -1},
      {R"(["ndarray","i8",null])", EYRIE_KIND_ARRAY, -1},
      {R"(["ndarray","i8",2,null,4])", EYRIE_KIND_ARRAY, 2},
      {R"(["ndarray",["slist"],0])", EYRIE_KIND_LIST, 0},
      {R"(["slist","i8"])", EYRIE_KIND_LIST, -1},
      {R"(["py_homogeneous_list","i8"])", EYRIE_KIND_LIST, -1},
      {R"(["stuple","i8"])", EYRIE_KIND_TUPLE, -1},
      {R"(["sdict",["a","i8"]])", EYRIE_KIND_DICT, -1},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.record);
    auto context = Echo("0r_r", absl::StrCat(R"({"a":[)", row.record, "]}"));
    auto echo = context->Find("echo");
    ASSERT_EQ(Text(echo), "OK");
    EXPECT_EQ(echo->arguments()[0].kind, row.kind);
    EXPECT_EQ(echo->arguments()[0].rank, row.rank);
  }
  auto scalars =
      Echo("0iifi", R"({"a":["i1","ui8","f32","f16"]})", "entry: return []");
  auto echo = scalars->Find("echo");
  ASSERT_EQ(Text(echo), "OK");
  std::vector<eyrie_kind_t> kinds;
  for (const auto& row : echo->arguments()) kinds.push_back(row.kind);
  EXPECT_EQ(kinds,
            (std::vector<eyrie_kind_t>{EYRIE_KIND_BOOL, EYRIE_KIND_INT,
                                       EYRIE_KIND_FLOAT, EYRIE_KIND_FLOAT}));
}

// If metadata is malformed, the types come from the registers.
TEST(CppCalls, MalformedRecordsAreNotUsed) {
  auto context = Echo("0ir_ri", R"({"a":["i8","i8"])", "entry: return [r0 i0]");
  auto echo = context->Find("echo");
  ASSERT_EQ(Text(echo), "OK");
  EXPECT_STREQ(echo->signature().source, "calling convention");
  EXPECT_STREQ(echo->signature().error,
               "The JSON text is malformed at byte 16, after "
               "'\"i8\"]'. (attribute 'iree.abi' of function "
               "'echo')");
  EXPECT_EQ(Text(echo->Call({300, Value::List({1})})), "[1] 300");
}

TEST(CppCalls, ArraysAreLentOrCopied) {
  auto context = Open("3.13/add.vmfb");
  ASSERT_EQ(Text(context), "OK");
  auto add = context->Find("add");
  ASSERT_EQ(Text(add), "OK");
  alignas(64) float numbers[] = {1, 2, 3, 4};
  auto device = Device::Open("local-sync");
  const int64_t shape[] = {4};
  const int64_t back[] = {-4};
  const struct {
    Result<Value> value;
    bool lend;
    uint32_t lent, copied, packed;
    const char* want;
  } kRows[] = {
      {Value::Array({4}, numbers), false, 0, 2, 0, "2 4 6 8"},
      {Value::Array({4}, numbers), true, 2, 0, 0, "2 4 6 8"},
      {Value::Borrow({4}, numbers), false, 0, 2, 0, "2 4 6 8"},
      {Value::Borrow({4}, numbers), true, 2, 0, 0, "2 4 6 8"},
      {Value::Array({4}, numbers)->Upload(*device), false, 0, 2, 0, "2 4 6 8"},
      {Value::Array({4}, numbers)->Upload(*device), true, 2, 0, 0, "2 4 6 8"},
      {Value::Borrow({sizeof(eyrie_array_t), EYRIE_DTYPE_F32, 1, shape, back,
                      numbers + 3, sizeof(numbers)}),
       true, 0, 0, 2, "8 6 4 2"},
      {Value::List({1, 2, 3, 4}), true, 0, 0, 2, "2 4 6 8"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(&row - kRows);
    ASSERT_EQ(Text(row.value), "OK");
    Value value = *row.value;
    if (row.lend) value.Lend();
    auto results = add->Call({value, value});
    ASSERT_EQ(Text(results), "4x21000020=16");
    EXPECT_EQ(Floats((*results)[0]), row.want);
    const eyrie_call_statistics_t statistics = add->statistics();
    EXPECT_EQ(statistics.lent, row.lent + 1);  // including the result
    EXPECT_EQ(statistics.copied, row.copied);
    EXPECT_EQ(statistics.packed, row.packed);
    EXPECT_EQ(statistics.converted, 0u);
    EXPECT_EQ(statistics.bytes, 16 * (row.copied + row.packed));
  }
}

TEST(CppCalls, LossIsAskedFor) {
  auto context = Open("3.13/add.vmfb");
  Value doubles = *Value::Array({4}, {0.5, 1.0, 1.5, 2.0});
  auto refused = context->Call("add", {doubles, doubles});
  EXPECT_EQ(Text(refused),
            "3: Argument 0 ('input0'): an array 4xf64 is given; 4xf32 is "
            "expected, and f64 cannot be converted to f32 without loss.");
  doubles.AllowLoss();
  auto sums = context->Call("add", {doubles, doubles});
  ASSERT_EQ(Text(sums), "4x21000020=16");
  EXPECT_EQ(Floats((*sums)[0]), "1 2 3 4");
  const float parts[] = {1, 0, 2, 0, 3, 0, 4, 0};
  Value complex =
      *Value::Array(EYRIE_DTYPE_C64, {4}, std::as_bytes(std::span(parts)));
  complex.AllowLoss();
  EXPECT_EQ(Text(context->Call("add", {complex, complex})),
            "3: Argument 0 ('input0'): an array 4xcf64 is given; 4xf32 is "
            "expected, and cf64 cannot be converted to f32.");
}

// The compiled function sorts its argument in place.
TEST(CppCalls, OnlyLentArraysAreChanged) {
  auto context = Open("3.13/sort.vmfb");
  ASSERT_EQ(Text(context), "OK");
  Value numbers = *Value::Array({8}, {3.f, 1.f, 4.f, 1.f, 5.f, -9.f, 2.f, 6.f});
  for (int i = 0; i < 2; ++i) {
    auto results = context->Call("sort", {numbers});
    EXPECT_EQ(Floats((*results)[0]), "-9 1 1 2 3 4 5 6");
    EXPECT_EQ(Floats(numbers), "3 1 4 1 5 -9 2 6");
  }
  Value lent = numbers;
  lent.Lend();
  auto results = context->Call("sort", {lent});
  EXPECT_EQ(Floats((*results)[0]), "-9 1 1 2 3 4 5 6");
  EXPECT_EQ(Floats(numbers), Floats(lent)) << "copies share their elements";
}

// Results are written to storage that the caller passes.
TEST(CppCalls, StorageForResults) {
  for (const char* file :
       {"3.13/destination.vmfb", "3.13/destination.async.vmfb"}) {
    SCOPED_TRACE(file);
    auto context = Open(file);
    ASSERT_EQ(Text(context), "OK");
    auto function = context->Find("add_into");
    ASSERT_EQ(Text(function), "OK");
    EXPECT_EQ(function->arguments()[2].storage_of, 0);
    const Value a = *Value::Array({4}, {1.f, 2.f, 3.f, 4.f});
    auto device = Device::Open("local-sync");
    const Value storage =
        *Value::Array({4}, std::vector<float>(4))->Upload(*device);
    auto results = function->Call({a, a, storage});
    ASSERT_EQ(Text(results), "4x21000020=16");
    EXPECT_EQ(Floats((*results)[0]), "2 4 6 8");
    EXPECT_EQ(Floats(storage), "2 4 6 8");
  }
}

TEST(CppCalls, ScalarsAllocateNothing) {
  auto context = Open("3.13/scalars.vmfb");
  ASSERT_EQ(Text(context), "OK");
  auto all = context->Find("all");
  ASSERT_EQ(Text(all), "OK");
  std::vector<Value> arguments = {true,       -3, 300, -1, int64_t{1} << 40,
                                  int64_t{7}, 2.5};
  std::vector<Value> results;
  ASSERT_EQ(Text(all->CallInto(results, arguments)), "OK");
  ASSERT_EQ(results.size(), 7u);
  const size_t before = tests::Allocations();
  arguments[1].Set(-5);
  const auto done = all->CallInto(results, arguments);
  EXPECT_EQ(tests::Allocations(), before);
  EXPECT_EQ(Text(done), "OK");
  EXPECT_EQ(results[5].As<int>(), -5);
  // A failed call does not change the results.
  arguments[1] = "text";
  EXPECT_EQ(Text(all->CallInto(results, arguments)).substr(0, 2), "3:");
  EXPECT_EQ(results[5].As<int>(), -5);
}

TEST(CppCalls, PreparedCallsAreMadeAgain) {
  auto context = Open("3.13/add.vmfb");
  ASSERT_EQ(Text(context), "OK");
  auto add = context->Find("add");
  ASSERT_EQ(Text(add), "OK");
  alignas(64) float numbers[] = {1, 2, 3, 4};
  Value lent = *Value::Borrow({4}, numbers);
  lent.Lend();
  auto call = PreparedCall::Prepare(*add, {lent, *Value::Array({4}, numbers)});
  ASSERT_TRUE(call) << call.error().message();
  EXPECT_EQ(add->statistics().lent, 1u);
  EXPECT_EQ(add->statistics().copied, 1u);
  EXPECT_TRUE(call->results().empty());
  for (const char* want : {"2 4 6 8", "11 4 6 8", "20 4 6 8"}) {
    const auto done = call->Run();
    ASSERT_TRUE(done) << done.error().message();
    ASSERT_EQ(call->results().size(), 1u);
    EXPECT_EQ(Floats(call->results()[0]), want);
    numbers[0] += 9;
  }
}

TEST(CppCalls, PreparedCallsWithScalarsAllocateNothing) {
  auto context = Open("3.13/scalars.vmfb");
  ASSERT_EQ(Text(context), "OK");
  auto all = context->Find("all");
  ASSERT_EQ(Text(all), "OK");
  auto call = PreparedCall::Prepare(
      *all, {true, -3, 300, -1, int64_t{1} << 40, int64_t{7}, 2.5});
  ASSERT_TRUE(call) << call.error().message();
  ASSERT_TRUE(call->Run());
  const size_t before = tests::Allocations();
  EXPECT_TRUE(call->Run());
  EXPECT_EQ(tests::Allocations(), before);
  EXPECT_EQ(call->results()[5].As<int>(), -3);
}

TEST(CppCalls, PreparationsFailAsCallsDo) {
  auto context = Open("3.13/abi_v1.vmfb");
  ASSERT_EQ(Text(context), "OK");
  auto named = context->Find("named");
  ASSERT_EQ(Text(named), "OK");
  const Value x = *Value::Array({2}, {5.f, 5.f});
  const struct {
    std::vector<Value> positional;
    std::vector<Value::Entry> named;
    const char* want;
  } kRows[] = {
      {{x}, {{"y", x}}, "OK"},
      {{x}, {{"x", x}}, "3: Function 'named' got multiple values for 'x'."},
      {{x},
       {},
       "3: Function 'named': missing argument 'y': named(x: ?xf32, y: ?xf32) "
       "-> (output0: ?xf32)."},
      {{x, 1},
       {},
       "3: Argument 1 ('y'): the integer 1 is given; the rank is 0, expected 1 "
       "(?xf32)."},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.want);
    EXPECT_EQ(Text(PreparedCall::Prepare(*named, row.positional, row.named)),
              row.want);
  }
}

TEST(CppCalls, PreparedCallsFailAsFunctionsDo) {
  auto context = Open("3.13/add.vmfb");
  ASSERT_EQ(Text(context), "OK");
  auto add = context->Find("add");
  const Value ones = *Value::Array({4}, {1.f, 1.f, 1.f, 1.f});
  auto call = PreparedCall::Prepare(*add, {ones, ones});
  ASSERT_TRUE(call) << call.error().message();
  ASSERT_EQ(Text(call->Run()), "OK");
  context->Cancel();
  EXPECT_EQ(Text(call->Run()).substr(0, 2), "1:");
  EXPECT_EQ(Text(call->Run()).substr(0, 2), "9:");
  EXPECT_EQ(Floats(call->results()[0]), "2 2 2 2");
}

// One value can be the argument and the result, such as a state.
TEST(CppCalls, ResultsMayBeArguments) {
  auto context = Open("3.13/add.vmfb");
  ASSERT_EQ(Text(context), "OK");
  auto add = context->Find("add");
  std::vector<Value> state = {*Value::Array({4}, {1.f, 2.f, 3.f, 4.f})};
  for (int i = 0; i < 3; ++i) {
    state[0].Lend();
    ASSERT_EQ(Text(add->CallInto(state, {state[0], state[0]})), "OK");
    EXPECT_EQ(add->statistics().lent, 3u);
  }
  EXPECT_EQ(Floats(state[0]), "8 16 24 32");
}

TEST(CppValues, AreCopiedAndRead) {
  Value list = Value::List({1, Value::Dict({{"k", "v"}})});
  Value copy = list;
  list = 5;
  EXPECT_EQ(ValueText(copy.get()), "[1, {k: \"v\"}]");
  EXPECT_EQ(copy.size(), 2u);
  EXPECT_EQ(copy.item(0).As<int>(), 1);
  EXPECT_EQ(copy.item(1).Find("k").As<std::string_view>(), "v");
  EXPECT_STREQ(copy.item(1).key(0), "k");
  EXPECT_TRUE(copy.item(1).Find("none").is_null());
  EXPECT_TRUE(copy.item(2).is_null());
  const Value owned(copy.item(1));
  copy = nullptr;
  EXPECT_TRUE(copy.is_null());
  EXPECT_EQ(ValueText(owned.get()), "{k: \"v\"}");
  Value number;
  number.Set(2.5f);
  EXPECT_EQ(number.As<double>(), 2.5);
}

TEST(CppValues, ElementsHaveTheirType) {
  const Value floats = *Value::Array({2}, {1.f, 2.f});
  EXPECT_EQ(Text(floats.elements<float>()), "OK");
  EXPECT_EQ(Text(floats.elements<uint32_t>()),
            "3: The array's elements are not of the type asked for.");
  EXPECT_EQ(Text(floats.elements<double>()),
            "3: The array's elements are not of the type asked for.");
  EXPECT_EQ(Text(Value(1).elements<float>()),
            "3: The value is the integer 1, not an array.");
  EXPECT_EQ(Text(Value::Array({3}, {1.f, 2.f})),
            "3: 8 bytes are given; 3xf32 needs 12.");
  const Value halves =
      *Value::Array(EYRIE_DTYPE_F16, {2}, std::as_bytes(std::span("abc")));
  EXPECT_EQ(halves.elements<uint16_t>()->size(), 2u);
  EXPECT_EQ(halves.array()->shape()[0], 2);
  int released = 0;
  const int32_t numbers[] = {1, 2, 3, 4};
  const int64_t shape[] = {2};
  const int64_t strides[] = {8};
  {
    const Value even =
        *Value::Borrow({sizeof(eyrie_array_t), EYRIE_DTYPE_I32, 1, shape,
                        strides, numbers, sizeof(numbers)},
                       [&released] { ++released; });
    EXPECT_FALSE(even.array()->is_dense());
    EXPECT_TRUE(even.array()->bytes().empty());
    EXPECT_EQ(Text(even.elements<int32_t>()), "3: The array is not dense.");
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  EXPECT_EQ(Text(Value::Borrow({3}, numbers, [&released] { ++released; })),
            "3: 16 bytes are given; 3xsi32 needs 12.");
  EXPECT_EQ(released, 2);
}

}  // namespace
}  // namespace eyrie
