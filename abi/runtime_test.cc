// The embedding API: the C functions one by one, and the C++ classes over
// them.
#include "eyrie/runtime.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "eyrie/c.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"

namespace eyrie {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr char kAdd[] = "tests/modules/3.13/add.vmfb";
constexpr char kAsyncAdd[] = "tests/modules/3.13/add.async.vmfb";
constexpr char kSort[] = "tests/modules/3.13/sort.vmfb";

// Functions of scalars, whose globals count calls.
Bytes ScalarModule() {
  tests::ModuleBuilder module;
  module.name = "scalars";
  module.AddFunction("sum", "0ii_i", "entry: add.i32 i0 i1 i2 return [i2]")
      .attributes = {{"iree.abi.declaration",
                      "sync func @sum(%a: i32, %b: i32) -> (%c: i32)"}};
  module.AddFunction("all", "0iIfF_iIfF", "entry: return [i0 i2 i4 i6]");
  module.AddFunction("count", "0_i",
                     "entry: global.load.i32 0 i0 const.i32 1 i1 "
                     "add.i32 i0 i1 i2 global.store.i32 0 i2 return [i2]");
  module.AddFunction("pass", "0r_r", "entry: return [r0]");
  module.AddFunction("fail", "0_v",
                     "entry: const.i32 3 i0 fail i0 \"as_asked\"");
  return module.Build();
}

// "INVALID_ARGUMENT: ..." or "OK"; frees the error.
std::string Text(eyrie_error_t* error) {
  if (error == nullptr) return "OK";
  std::string text =
      absl::StrCat(eyrie_error_code(error), ": ", eyrie_error_message(error));
  eyrie_error_free(error);
  return text;
}

template <typename T>
std::string Text(const Result<T>& result) {
  if (result.ok()) return "OK";
  return absl::StrCat(result.error().code(), ": ", result.error().message());
}

// What a C program holds, freed with it.
class CApiTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(Text(eyrie_device_open("local-sync", nullptr, &device_)), "OK");
    const Bytes bytes = ScalarModule();
    ASSERT_EQ(
        Text(eyrie_module_load_memory(bytes.data(), bytes.size(), &module_)),
        "OK");
  }
  void TearDown() override {
    eyrie_context_free(context_);
    eyrie_module_release(module_);
    eyrie_device_release(device_);
  }

  void CreateContext() {
    ASSERT_EQ(Text(eyrie_context_create(&module_, 1, &device_, 1, &context_)),
              "OK");
  }

  // Calls with arguments, which are freed; results as text.
  std::string Call(const char* function, std::vector<eyrie_value_t*> arguments,
                   size_t capacity = 8) {
    std::vector<eyrie_value_t*> results(capacity);
    size_t count = 99;
    std::string text = Text(
        eyrie_context_call(context_, function, arguments.data(),
                           arguments.size(), results.data(), capacity, &count));
    for (eyrie_value_t* argument : arguments) eyrie_value_free(argument);
    if (text != "OK") {
      EXPECT_EQ(count, 99u) << "written after an error";
      return text;
    }
    text.clear();
    for (size_t i = 0; i < count; ++i) {
      absl::StrAppend(&text, i ? " " : "", Describe(results[i]));
      eyrie_value_free(results[i]);
    }
    return text;
  }

  static std::string Describe(eyrie_value_t* value) {
    switch (eyrie_value_kind(value)) {
      case EYRIE_KIND_I32:
        return absl::StrCat(eyrie_value_get_i32(value), "i");
      case EYRIE_KIND_I64:
        return absl::StrCat(eyrie_value_get_i64(value), "I");
      case EYRIE_KIND_F32:
        return absl::StrCat(eyrie_value_get_f32(value), "f");
      case EYRIE_KIND_F64:
        return absl::StrCat(eyrie_value_get_f64(value), "F");
      case EYRIE_KIND_TENSOR:
        return DescribeTensor(value);
      case EYRIE_KIND_NULL:
        return "null";
      case EYRIE_KIND_OTHER:
        return "other";
    }
    return "?";
  }
  static std::string DescribeTensor(eyrie_value_t* value) {
    eyrie_tensor_t tensor = {};
    EXPECT_EQ(Text(eyrie_value_get_tensor(value, &tensor)), "OK");
    std::string text;
    for (size_t i = 0; i < tensor.rank; ++i) {
      absl::StrAppend(&text, tensor.shape[i], "x");
    }
    absl::StrAppend(&text, absl::Hex(tensor.dtype), "=", tensor.size);
    return text;
  }

  eyrie_value_t* Tensor(eyrie_dtype_t dtype, std::vector<int64_t> shape,
                        size_t size) {
    const Bytes bytes(size);
    eyrie_value_t* value = nullptr;
    EXPECT_EQ(
        Text(eyrie_value_tensor(device_, dtype, shape.size(), shape.data(),
                                bytes.data(), size, &value)),
        "OK");
    return value;
  }

  eyrie_device_t* device_ = nullptr;
  eyrie_module_t* module_ = nullptr;
  eyrie_context_t* context_ = nullptr;
};

TEST_F(CApiTest, Devices) {
  struct Case {
    const char* uri;
    size_t struct_size;  // 0: no options
    std::string want;
  };
  const Case cases[] = {
      {"local-sync", 0, "OK"},
      {"local-sync", sizeof(eyrie_device_options_t), "OK"},
      {"local-sync", 1,
       "3: The device options' struct_size (1) is below that of the first "
       "version (16)."},
      {"local-sink", 0,
       "5: No driver 'local-sink' is built in; there is only 'local-sync'."},
      {"", 0, "5: No driver '' is built in; there is only 'local-sync'."},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.uri);
    eyrie_device_options_t options = {c.struct_size, 0, 0};
    eyrie_device_t* device = nullptr;
    EXPECT_EQ(Text(eyrie_device_open(c.uri, c.struct_size ? &options : nullptr,
                                     &device)),
              c.want);
    eyrie_device_release(device);
  }
}

TEST_F(CApiTest, HandlesAreCounted) {
  eyrie_device_retain(device_);
  eyrie_device_release(device_);
  eyrie_module_retain(module_);
  eyrie_module_release(module_);
  EXPECT_STREQ(eyrie_module_name(module_), "scalars");
  // Null handles may be freed, as free() does.
  eyrie_device_release(nullptr);
  eyrie_module_release(nullptr);
  eyrie_context_free(nullptr);
  eyrie_value_free(nullptr);
  eyrie_error_free(nullptr);
}

TEST_F(CApiTest, ContextsAndTensorsOutliveTheHandlesTheyCameFrom) {
  CreateContext();
  eyrie_value_t* tensor = Tensor(EYRIE_DTYPE_F32, {4}, 16);
  eyrie_module_release(std::exchange(module_, nullptr));
  eyrie_device_release(std::exchange(device_, nullptr));
  EXPECT_EQ(Call("sum", {eyrie_value_i32(40), eyrie_value_i32(2)}), "42i");
  EXPECT_EQ(DescribeTensor(tensor), "4x21000020=16");
  eyrie_value_free(tensor);
}

TEST_F(CApiTest, ModulesListTheirFunctions) {
  std::string text;
  for (size_t i = 0; i < eyrie_module_function_count(module_); ++i) {
    const eyrie_function_info_t info = eyrie_module_function(module_, i);
    absl::StrAppend(&text, info.name, " ", info.calling_convention, " ",
                    info.declaration, "\n");
  }
  EXPECT_EQ(text,
            "sum 0ii_i sync func @sum(%a: i32, %b: i32) -> (%c: i32)\n"
            "all 0iIfF_iIfF \n"
            "count 0_i \n"
            "pass 0r_r \n"
            "fail 0_v \n");
  const eyrie_function_info_t none = eyrie_module_function(module_, 5);
  EXPECT_EQ(none.name, nullptr);
  EXPECT_EQ(none.calling_convention, nullptr);
  EXPECT_EQ(none.declaration, nullptr);
}

TEST_F(CApiTest, ModulesThatCannotBeLoaded) {
  eyrie_module_t* module = nullptr;
  EXPECT_EQ(Text(eyrie_module_load_file("no/such.vmfb", &module)),
            "5: Cannot open no/such.vmfb: No such file or directory.");
  EXPECT_EQ(Text(eyrie_module_load_file("tests", &module)),
            "3: tests is a directory, not a file.");
  EXPECT_EQ(Text(eyrie_module_load_memory(nullptr, 0, &module)),
            "3: The module in memory is empty, not a compiled module.");
  EXPECT_EQ(Text(eyrie_module_load_memory("func.func", 9, &module)),
            "3: The module in memory is MLIR text, not a compiled module.");
  EXPECT_EQ(module, nullptr) << "written after an error";
}

TEST_F(CApiTest, Scalars) {
  struct Case {
    eyrie_value_t* value;
    eyrie_kind_t kind;
    double i32, i64, f32, f64;
  };
  const Case cases[] = {
      {eyrie_value_i32(-7), EYRIE_KIND_I32, -7, 0, 0, 0},
      {eyrie_value_i64(1ll << 40), EYRIE_KIND_I64, 0, 0x1p40, 0, 0},
      {eyrie_value_f32(1.5f), EYRIE_KIND_F32, 0, 0, 1.5, 0},
      {eyrie_value_f64(0.1), EYRIE_KIND_F64, 0, 0, 0, 0.1},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(eyrie_value_kind(c.value), c.kind);
    EXPECT_EQ(eyrie_value_get_i32(c.value), c.i32);
    EXPECT_EQ(static_cast<double>(eyrie_value_get_i64(c.value)), c.i64);
    EXPECT_EQ(eyrie_value_get_f32(c.value), c.f32);
    EXPECT_EQ(eyrie_value_get_f64(c.value), c.f64);
    eyrie_tensor_t tensor;
    EXPECT_EQ(Text(eyrie_value_get_tensor(c.value, &tensor)),
              "3: The value is not a tensor.");
    eyrie_value_free(c.value);
  }
}

TEST_F(CApiTest, Tensors) {
  struct Case {
    int dtype;
    std::vector<int64_t> shape;
    size_t size;
    std::string want;
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
       "8: The number of elements of 1099511627776x1099511627776xf32 exceeds "
       "64 bits."},
      {EYRIE_DTYPE_F32,
       {1ll << 60},
       0,
       "3: 0 bytes are given; 1152921504606846976xf32 needs "
       "4611686018427387904."},
      {0, {4}, 4, "3: There is no element type 0x0."},
      {0x7F000003, {4}, 4, "3: There is no element type 0x7f000003."},
  };
  const Bytes bytes(64);
  for (const Case& c : cases) {
    SCOPED_TRACE(&c - cases);
    eyrie_value_t* value = nullptr;
    const std::string text = Text(eyrie_value_tensor(
        device_, static_cast<eyrie_dtype_t>(c.dtype), c.shape.size(),
        c.shape.data(), bytes.data(), c.size, &value));
    EXPECT_EQ(text == "OK" ? DescribeTensor(value) : text, c.want);
    eyrie_value_free(value);
  }
}

TEST_F(CApiTest, Calls) {
  CreateContext();
  const auto i32 = eyrie_value_i32;
  EXPECT_EQ(Call("sum", {i32(2), i32(3)}), "5i");
  EXPECT_EQ(Call("scalars.sum", {i32(2), i32(4)}), "6i");
  EXPECT_EQ(Call("all", {i32(1), eyrie_value_i64(2), eyrie_value_f32(3.5f),
                         eyrie_value_f64(4.5)}),
            "1i 2I 3.5f 4.5F");
  EXPECT_EQ(Call("count", {}), "1i");
  EXPECT_EQ(Call("count", {}), "2i");
  EXPECT_EQ(Call("pass", {Tensor(EYRIE_DTYPE_I32, {2}, 8)}), "2x10000020=8");
  EXPECT_EQ(Call("pass", {nullptr}), "null");
}

TEST_F(CApiTest, CallsThatFail) {
  CreateContext();
  const std::string exports =
      " It exports 'sum', 'all', 'count', 'pass' and 'fail'.";
  struct Case {
    const char* function;
    std::vector<eyrie_value_t*> arguments;
    size_t capacity;
    std::string want;
  };
  const auto i32 = eyrie_value_i32;
  const Case cases[] = {
      {"sum",
       {i32(2)},
       8,
       "3: Function 'sum' takes 2 arguments (a: i32, b: i32); 1 is given."},
      {"sum",
       {i32(2), eyrie_value_f32(1)},
       8,
       "3: Argument 1 ('b') is an f32; i32 is expected."},
      {"sum",
       {i32(2), nullptr},
       8,
       "3: Argument 1 ('b') is a reference; i32 is expected."},
      {"pass",
       {i32(1)},
       8,
       "3: Argument 0 is an i32; a reference is expected."},
      {"som",
       {},
       8,
       "5: Module 'scalars' exports no function 'som'; did you mean 'sum'?" +
           exports},
      {"other.sum",
       {},
       8,
       "5: Module 'scalars' exports no function 'other.sum'." + exports},
      {"",
       {},
       8,
       "3: Module 'scalars' exports 5 functions; one must be named: 'sum', "
       "'all', 'count', 'pass' and 'fail'."},
      {"fail", {}, 8, "3: as_asked\n  at scalars.fail+0x8 (test.mlir:5:1)"},
      {"all",
       {},
       3,
       "8: Function 'all' has 4 results and there is room for 3."},
      // A failure leaves the context as it was.
      {"count", {}, 8, "1i"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.function);
    EXPECT_EQ(Call(c.function, c.arguments, c.capacity), c.want);
  }
}

TEST_F(CApiTest, ContextsThatCannotBeMade) {
  eyrie_context_t* context = nullptr;
  EXPECT_EQ(Text(eyrie_context_create(nullptr, 0, nullptr, 0, &context)),
            "3: A session needs at least one module.");
  eyrie_module_t* twice[] = {module_, module_};
  EXPECT_EQ(Text(eyrie_context_create(twice, 2, nullptr, 0, &context)),
            "3: Two modules have the name scalars.");
  eyrie_module_t* add = nullptr;
  ASSERT_EQ(Text(eyrie_module_load_file(kAdd, &add)), "OK");
  const std::string text =
      Text(eyrie_context_create(&add, 1, nullptr, 0, &context));
  EXPECT_EQ(text.substr(0, 49),
            "12: HAL device `__device_0` not found or unavaila");
  eyrie_module_release(add);
  EXPECT_EQ(context, nullptr) << "written after an error";
}

TEST(CppApiTest, AddsTensors) {
  for (const char* path : {kAdd, kAsyncAdd}) {
    SCOPED_TRACE(path);
    auto device = Device::Open("local-sync");
    auto module = Module::Load(path);
    ASSERT_EQ(Text(module), "OK");
    EXPECT_EQ(module->name(), "module");
    auto context = Context::Create(*device, *module);
    ASSERT_EQ(Text(context), "OK");
    const float a[] = {1, 2, 3, 4};
    const float b[] = {10, 20, 30, 40};
    std::vector<Value> arguments;
    arguments.push_back(*Value::Tensor<const float>(*device, {4}, a));
    arguments.push_back(*Value::Tensor<const float>(*device, {4}, b));
    auto results = context->Call("add", arguments);
    ASSERT_EQ(Text(results), "OK");
    ASSERT_EQ(results->size(), 1u);
    auto tensor = results->front().tensor();
    ASSERT_EQ(Text(tensor), "OK");
    EXPECT_EQ(tensor->dtype(), EYRIE_DTYPE_F32);
    EXPECT_EQ(tensor->shape().size(), 1u);
    EXPECT_EQ(tensor->bytes().size(), 16u);
    const auto sums = tensor->elements<float>();
    EXPECT_EQ(std::vector<float>(sums.begin(), sums.end()),
              (std::vector<float>{11, 22, 33, 44}));
    EXPECT_TRUE(tensor->elements<char[3]>().empty());
  }
}

// The compiled code sorts in place.
TEST(CppApiTest, CallsDoNotChangeArguments) {
  auto device = Device::Open("local-sync");
  auto module = Module::Load(kSort);
  ASSERT_EQ(Text(module), "OK");
  auto context = Context::Create(*device, *module);
  const float numbers[] = {3, 1, 4, 1, 5, -9, 2, 6};
  const Value arguments[] = {
      *Value::Tensor<const float>(*device, {8}, numbers)};
  for (int i = 0; i < 2; ++i) {
    auto results = context->Call("sort", arguments);
    ASSERT_EQ(Text(results), "OK");
    EXPECT_EQ(results->front().tensor()->elements<float>()[0], -9);
    EXPECT_EQ(arguments[0].tensor()->elements<float>()[0], 3);
  }
}

TEST(CppApiTest, ErrorsAreValues) {
  auto device = Device::Open("local-sync");
  EXPECT_EQ(Text(Device::Open("nowhere")),
            "5: No driver 'nowhere' is built in; there is only 'local-sync'.");
  EXPECT_EQ(Text(Module::Load("no/such.vmfb")),
            "5: Cannot open no/such.vmfb: No such file or directory.");
  const Bytes bytes = ScalarModule();
  auto module = Module::Load(std::as_bytes(std::span(bytes)));
  ASSERT_EQ(Text(module), "OK");
  EXPECT_EQ(module->functions().size(), 5u);
  auto context = Context::Create(*device, *module);
  EXPECT_EQ(
      Text(context->Call("sum", {})),
      "3: Function 'sum' takes 2 arguments (a: i32, b: i32); 0 are given.");
  const float numbers[] = {1, 2};
  EXPECT_EQ(Text(Value::Tensor<const float>(*device, {3}, numbers)),
            "3: 8 bytes are given; 3xf32 needs 12.");
  EXPECT_EQ(Text(Value(int64_t{1}).tensor()), "3: The value is not a tensor.");
}

TEST(CppApiTest, ScalarsGoThrough) {
  auto device = Device::Open("local-sync");
  const Bytes bytes = ScalarModule();
  auto module = Module::Load(std::as_bytes(std::span(bytes)));
  auto context = Context::Create(*device, *module);
  const Value arguments[] = {-1, int64_t{1} << 40, 0.5f, 0.1};
  auto results = context->Call("all", arguments);
  ASSERT_EQ(Text(results), "OK");
  ASSERT_EQ(results->size(), 4u);
  EXPECT_EQ((*results)[0].i32(), -1);
  EXPECT_EQ((*results)[1].i64(), int64_t{1} << 40);
  EXPECT_EQ((*results)[2].f32(), 0.5f);
  EXPECT_EQ((*results)[3].f64(), 0.1);
}

TEST(CppApiDeathTest, ReadingTheValueOfAnErrorSaysIt) {
  EXPECT_DEATH(*Module::Load("no/such.vmfb"), "eyrie: .*no/such.vmfb");
}

}  // namespace
}  // namespace eyrie
