// Tests the embedding API: each C function, and the C++ classes that use them.
#include "eyrie/runtime.h"

#include <string>
#include <utility>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/strings/str_cat.h"
#include "eyrie/c.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"

namespace eyrie {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr char kAdd[] = "tests/modules/3.13/add.vmfb";

// Returns a module of functions with scalars, and a global that counts calls.
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

// The objects that a C program owns. Frees them at the end.
class CApiTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(ErrorText(eyrie_device_open("local-sync", nullptr, &device_)),
              "OK");
    const Bytes bytes = ScalarModule();
    ASSERT_EQ(ErrorText(eyrie_module_load_memory(bytes.data(), bytes.size(),
                                                 EYRIE_MEMORY_COPY, nullptr,
                                                 nullptr, &module_)),
              "OK");
  }
  void TearDown() override {
    eyrie_context_release(context_);
    eyrie_module_release(module_);
    eyrie_device_release(device_);
  }

  void CreateContext() {
    ASSERT_EQ(ErrorText(eyrie_context_create(&module_, 1, &device_, 1, nullptr,
                                             &context_)),
              "OK");
  }

  // Calls a function and frees the arguments. Returns the results as text.
  std::string Call(const char* name, std::vector<eyrie_value_t*> arguments,
                   size_t capacity = 8, std::vector<const char*> names = {}) {
    eyrie_function_t* function = nullptr;
    std::vector<eyrie_value_t*> results(capacity);
    std::string text =
        ErrorText(eyrie_context_find_function(context_, name, &function));
    if (text == "OK") {
      const eyrie_call_args_t args = ArgsOf(arguments, names);
      text = ErrorText(eyrie_function_call(function, &args, nullptr,
                                           results.data(), capacity));
    }
    for (eyrie_value_t* argument : arguments) eyrie_value_free(argument);
    if (text != "OK") return text;
    const size_t count = eyrie_function_signature(function)->result_count;
    text.clear();
    for (size_t i = 0; i < count; ++i) {
      absl::StrAppend(&text, i ? " " : "", ValueText(results[i]));
      eyrie_value_free(results[i]);
    }
    return text;
  }

  static eyrie_value_t* Array(eyrie_dtype_t dtype, std::vector<int64_t> shape,
                              size_t size) {
    const Bytes bytes(size);
    eyrie_value_t* value = nullptr;
    EXPECT_EQ(ErrorText(eyrie_value_new_array(dtype, shape.size(), shape.data(),
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
       "3: The struct_size of the device options (1) is below that of the "
       "first version (128)."},
      {"local-sink", 0,
       "5: Unknown driver 'local-sink'; expected one of 'local-sync', "
       "'local-task', 'vulkan'. Did you mean 'local-sync'?"},
      {"", 0,
       "5: Unknown driver ''; expected one of 'local-sync', 'local-task', "
       "'vulkan'."},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.uri);
    eyrie_device_options_t options = {};
    options.struct_size = c.struct_size;
    eyrie_device_t* device = nullptr;
    EXPECT_EQ(ErrorText(eyrie_device_open(
                  c.uri, c.struct_size ? &options : nullptr, &device)),
              c.want);
    eyrie_device_release(device);
  }
}

// The data of notices is freed once, whether or not the device is opened.
// Fields beyond struct_size are not read.
TEST_F(CApiTest, NoticesAreFreed) {
  struct Case {
    const char* uri;
    size_t struct_size;
    int freed;
  };
  for (const Case& c : {Case{"local-sync", sizeof(eyrie_device_options_t), 1},
                        {"local-sync", sizeof(eyrie_device_options_t) + 64, 1},
                        {"local-sink", sizeof(eyrie_device_options_t), 1},
                        {"local-sync", 16, 0},
                        {"local-sync", 8, 0}}) {
    SCOPED_TRACE(absl::StrCat(c.uri, " ", c.struct_size));
    int freed = 0;
    // With fields of a newer header, which are 0.
    struct {
      eyrie_device_options_t known;
      char newer[64];
    } both = {};
    eyrie_device_options_t& options = both.known;
    options.struct_size = c.struct_size;
    options.notice = [](const char*, void*) {};
    options.notice_data = &freed;
    options.free_notice_data = [](void* data) { ++*static_cast<int*>(data); };
    eyrie_device_t* device = nullptr;
    eyrie_error_free(eyrie_device_open(c.uri, &options, &device));
    eyrie_device_release(device);
    EXPECT_EQ(freed, c.freed);
    // Without a function, the data is not freed.
    options.notice = nullptr;
    device = nullptr;
    eyrie_error_free(eyrie_device_open(c.uri, &options, &device));
    eyrie_device_release(device);
    EXPECT_EQ(freed, c.freed);
  }
}

TEST_F(CApiTest, HandlesAreCounted) {
  eyrie_device_retain(device_);
  eyrie_device_release(device_);
  eyrie_module_retain(module_);
  eyrie_module_release(module_);
  EXPECT_STREQ(eyrie_module_name(module_), "scalars");
  // Null handles may be freed, as with free().
  eyrie_device_release(nullptr);
  eyrie_module_release(nullptr);
  eyrie_context_release(nullptr);
  eyrie_value_free(nullptr);
  eyrie_error_free(nullptr);
}

TEST_F(CApiTest, ContextsAndArraysOutliveTheHandlesTheyCameFrom) {
  CreateContext();
  eyrie_value_t* array = Array(EYRIE_DTYPE_F32, {4}, 16);
  eyrie_value_t* uploaded = nullptr;
  ASSERT_EQ(ErrorText(eyrie_value_new_uploaded(array, device_, &uploaded)),
            "OK");
  eyrie_value_free(array);
  eyrie_module_release(std::exchange(module_, nullptr));
  eyrie_device_release(std::exchange(device_, nullptr));
  EXPECT_EQ(Call("sum", {eyrie_value_new_i32(40), eyrie_value_new_i32(2)}),
            "42");
  EXPECT_EQ(ArrayText(uploaded), "4x21000020=16");
  eyrie_value_free(uploaded);
}

TEST_F(CApiTest, ModulesListTheirFunctions) {
  std::string text;
  for (size_t i = 0; i < eyrie_module_function_count(module_); ++i) {
    const eyrie_function_info_t& info = *eyrie_module_function(module_, i);
    absl::StrAppend(&text, info.name, " ", info.calling_convention, " ",
                    info.declaration, "\n");
  }
  EXPECT_EQ(text,
            "sum 0ii_i sync func @sum(%a: i32, %b: i32) -> (%c: i32)\n"
            "all 0iIfF_iIfF \n"
            "count 0_i \n"
            "pass 0r_r \n"
            "fail 0_v \n");
  EXPECT_EQ(eyrie_module_function(module_, 5), nullptr);
}

TEST_F(CApiTest, ModulesThatCannotBeLoaded) {
  eyrie_module_t* module = nullptr;
  EXPECT_EQ(ErrorText(eyrie_module_load_file("no/such.vmfb", &module)),
            "5: Cannot open no/such.vmfb: No such file or directory.");
  EXPECT_EQ(ErrorText(eyrie_module_load_file("tests", &module)),
            "3: tests is a directory, not a file.");
  EXPECT_EQ(ErrorText(eyrie_module_load_memory(nullptr, 0, EYRIE_MEMORY_COPY,
                                               nullptr, nullptr, &module)),
            "3: The module in memory is empty, not a compiled module.");
  EXPECT_EQ(ErrorText(eyrie_module_load_memory(
                "func.func", 9, EYRIE_MEMORY_COPY, nullptr, nullptr, &module)),
            "3: The module in memory is MLIR text, not a compiled module.");
  EXPECT_EQ(module, nullptr) << "written after an error";
}

TEST_F(CApiTest, Calls) {
  CreateContext();
  const auto i32 = eyrie_value_new_i32;
  EXPECT_EQ(Call("sum", {i32(2), i32(3)}), "5");
  EXPECT_EQ(Call("scalars.sum", {i32(2), i32(4)}), "6");
  EXPECT_EQ(Call("all", {i32(1), eyrie_value_new_i64(2),
                         eyrie_value_new_f32(3.5f), eyrie_value_new_f64(4.5)}),
            "1 2 3.5f 4.5f");
  EXPECT_EQ(Call("count", {}), "1");
  EXPECT_EQ(Call("count", {}), "2");
  EXPECT_EQ(Call("pass", {Array(EYRIE_DTYPE_I32, {2}, 8)}), "2x10000020=8");
  EXPECT_EQ(Call("pass", {nullptr}), "null");
  EXPECT_EQ(Call("sum", {i32(2), i32(3)}, 1, {"b"}), "5");
  EXPECT_EQ(Call("sum", {i32(2), i32(3)}, 1, {"b", "a"}), "5");
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
    std::vector<const char*> names = {};
  };
  const auto i32 = eyrie_value_new_i32;
  const std::string sum = ": sum(a: i32, b: i32) -> (c: i32).";
  const Case cases[] = {
      {"sum", {i32(2)}, 8, "3: Function 'sum': missing argument 'b'" + sum},
      {"sum",
       {i32(2), eyrie_value_new_f32(1)},
       8,
       "3: Argument 1 ('b'): the float 1 is given; i32 is expected."},
      {"sum",
       {i32(2), nullptr},
       8,
       "3: Argument 1 ('b'): null is given; i32 is expected."},
      {"sum",
       {i32(2), i32(2), i32(2)},
       8,
       "3: Function 'sum' takes 2 arguments; 3 are given" + sum},
      {"sum",
       {i32(2), i32(2)},
       8,
       "3: Function 'sum' got multiple values for 'a'.",
       {"a"}},
      {"sum", {i32(2)}, 8, "3: 2 names are given for 1 argument.", {"a", "b"}},
      {"pass",
       {i32(1)},
       8,
       "3: Argument 0: the integer 1 is given; a reference is expected."},
      {"som",
       {},
       8,
       "5: Module 'scalars' exports no function 'som'; did you mean 'sum'?" +
           exports},
      {"other.sum",
       {},
       8,
       "5: No module 'other' is loaded. Module 'scalars' exports no function "
       "'other.sum'." +
           exports},
      {"",
       {},
       8,
       "3: Module 'scalars' exports 5 functions; one must be named: 'sum', "
       "'all', 'count', 'pass' and 'fail'."},
      {"fail", {}, 8, "3: as_asked\n  at scalars.fail+0x8 (test.mlir:5:1)"},
      {"all",
       {},
       3,
       "3: Function 'all' has 4 results and there is room for 3."},
      // A failed call does not change the context.
      {"count", {}, 8, "1"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.function);
    EXPECT_EQ(Call(c.function, c.arguments, c.capacity, c.names), c.want);
  }
}

TEST_F(CApiTest, ModulesOfOneName) {
  eyrie_context_t* context = nullptr;
  eyrie_module_t* twice[] = {module_, module_};
  ASSERT_EQ(
      ErrorText(eyrie_context_create(twice, 2, nullptr, 0, nullptr, &context)),
      "OK");
  eyrie_function_t* function = nullptr;
  eyrie_function_t* qualified = nullptr;
  EXPECT_EQ(ErrorText(eyrie_context_find_function(context, "count", &function)),
            "OK");
  EXPECT_EQ(ErrorText(eyrie_context_find_function(context, "scalars.count",
                                                  &qualified)),
            "OK");
  EXPECT_NE(function, qualified) << "a handle for each name";
  eyrie_context_release(context);
}

TEST_F(CApiTest, ContextsThatCannotBeMade) {
  eyrie_context_t* context = nullptr;
  EXPECT_EQ(ErrorText(eyrie_context_create(nullptr, 0, nullptr, 0, nullptr,
                                           &context)),
            "3: A session needs at least one module.");
  eyrie_module_t* add = nullptr;
  ASSERT_EQ(ErrorText(eyrie_module_load_file(kAdd, &add)), "OK");
  const std::string text =
      ErrorText(eyrie_context_create(&add, 1, nullptr, 0, nullptr, &context));
  EXPECT_EQ(text.substr(0, 101),
            "12: The module needs more devices than are given (none). HAL "
            "device `__device_0` not found or unavail");
  eyrie_module_release(add);
  EXPECT_EQ(context, nullptr) << "written after an error";
}

TEST_F(CApiTest, ContextsOfAFile) {
  const struct {
    const char* path;
    const char* device;
    const char* want;
  } kCases[] = {
      {kAdd, "local-sync", "OK"},
      {"no/such.vmfb", "local-sync",
       "5: Cannot open no/such.vmfb: No such file or directory."},
      {kAdd, "none",
       "5: Unknown driver 'none'; expected one of 'local-sync', 'local-task', "
       "'vulkan'."},
      {kAdd, nullptr,
       "12: The module needs more devices than are given (none). HAL device "
       "`__device_0` not found or unavailable.\n  at module.__init+0x18a"},
      {"tests/modules/3.13/vm_library.vmfb", nullptr, "OK"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.path);
    eyrie_context_t* context = nullptr;
    EXPECT_EQ(
        ErrorText(eyrie_context_open(c.path, c.device, nullptr, &context)),
        c.want);
    eyrie_context_release(context);
  }
}

TEST(CppApiTest, ErrorsAreValues) {
  EXPECT_EQ(Text(Device::Open("nowhere")),
            "5: Unknown driver 'nowhere'; expected one of 'local-sync', "
            "'local-task', 'vulkan'.");
  EXPECT_EQ(Text(Module::Load("no/such.vmfb")),
            "5: Cannot open no/such.vmfb: No such file or directory.");
  auto device = Device::Open("local-sync");
  const Bytes bytes = ScalarModule();
  auto module = Module::Load(std::as_bytes(std::span(bytes)));
  ASSERT_EQ(Text(module), "OK");
  EXPECT_EQ(module->functions().size(), 5u);
  auto context = Context::Create(*device, *module);
  EXPECT_EQ(Text(context->Call("sum", {})),
            "3: Function 'sum': missing argument 'a': sum(a: i32, b: i32) -> "
            "(c: i32).");
  EXPECT_EQ(Text(context->Find("sun")).substr(0, 2), "5:");
}

// One module calls the functions of another, and the host calls both. They
// share the globals.
TEST(CppApiTest, TwoModulesInOneContext) {
  const auto device = Device::Open("local-sync");
  const auto library = Module::Load("tests/modules/3.13/vm_library.vmfb");
  const auto linked = Module::Load("tests/modules/3.13/vm_linked.vmfb");
  ASSERT_TRUE(library && linked);
  auto context = Context::Create({&*device}, {&*library, &*linked});
  ASSERT_EQ(Text(context), "OK");
  const struct {
    const char* function;
    std::vector<Value> arguments;
    const char* want;
  } kCases[] = {
      {"square_plus_one", {9}, "82"},
      {"vm_linked.square_plus_one", {9}, "82"},
      {"vm_library.square", {9}, "81"},
      {"square", {9}, "81"},
      {"vm_library.sum_of_two", {int64_t{5000000000}, 1}, "5000000001"},
      {"vm_library.count", {}, "1"},
      {"count_three", {}, "2 3 4"},
      {"vm_library.count", {}, "5"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.function);
    EXPECT_EQ(Text(context->Call(c.function, c.arguments)), c.want);
  }
  // Each context has its own globals.
  auto other = Context::Create({&*device}, {&*library, &*linked});
  ASSERT_EQ(Text(other), "OK");
  EXPECT_EQ(Text(other->Call("vm_library.count", {})), "1");
  EXPECT_EQ(Text(Context::Create({&*device}, {&*linked, &*library})),
            "5: Module vm_linked requires module vm_library version 0, which "
            "is not loaded before it (none is loaded).");
}

TEST(CppApiDeathTest, ReadingTheValueOfAnErrorSaysIt) {
  EXPECT_DEATH(*Module::Load("no/such.vmfb"), "eyrie: .*no/such.vmfb");
}

}  // namespace
}  // namespace eyrie
