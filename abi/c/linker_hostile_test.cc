// Tests host functions against modules and hosts that pass wrong values, and
// native functions that are linked into the program.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/strings/str_cat.h"
#include "eyrie/linker.h"
#include "eyrie/runtime.h"
#include "eyrie/xla_ffi.h"
#include "gtest/gtest.h"
#include "tests/support/forwarding_module.h"
#include "tests/support/module_builder.h"

namespace eyrie {
namespace {

Device CpuDevice() { return *Device::Open("local-sync"); }

struct Object {};
struct Other {};

Value Ints(int32_t count) {
  return *Value::Array({count},
                       std::vector<int32_t>(static_cast<size_t>(count)));
}

TEST(HostileLinker, ChecksArguments) {
  const Value list = Value::List({1, 2});
  const Value object = Value::Adopt(eyrie_value_new_object(
      internal::ObjectName<Other>().c_str(), new std::shared_ptr<Other>(),
      internal::DeleteHost<std::shared_ptr<Other>>));
  const struct {
    const char* signature;
    Value argument;
    const char* want;
  } kRows[] = {
      {"(bytes)", Value(), "null is passed; bytes is expected."},
      {"(x: bytes)", list, "a vm.list is passed; bytes is expected."},
      {"(?xf32)", Value(), "null is passed; ?xf32 is expected."},
      {"(?xf32)", list, "a vm.list is passed; ?xf32 is expected."},
      {"(?xf32)", Ints(2),
       "An array 2xsi32 is passed; ?xf32 is expected: the element type "
       "differs."},
      {"(?x?xi32)", Ints(2),
       "An array 2xsi32 is passed; ?x?xi32 is expected: the rank is 1, "
       "expected "
       "2 (?x?xi32)."},
      {"(3xi32)", Ints(2),
       "An array 2xsi32 is passed; 3xi32 is expected: dimension 0 is 2, "
       "expected 3 (3xi32)."},
      {"(list)", Ints(2), "a hal.buffer_view is returned; list is expected."},
      {"([i32, i32, i32])", list,
       "a list of 2 is returned; 3 items are expected, [i32, i32, i32]."},
      {"(ref<eyrie::_anonymous_namespace_::Object>)", object, ""},
      {"(ref<eyrie::_anonymous_namespace_::Object>)", list, ""},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.signature);
    Linker linker;
    ASSERT_TRUE(linker.DefineAny(
        "host.f", row.signature,
        [](HostCall&, std::span<const Value>) -> Result<std::vector<Value>> {
          ADD_FAILURE() << "It is called.";
          return std::vector<Value>();
        }));
    const std::string got =
        FirstLine(Text(CallForwarded(linker, "0r_v", "", {row.argument})));
    const bool named = std::string(row.signature).find(':') == 2;
    EXPECT_EQ(got.substr(0, 3), "3: ") << got;
    EXPECT_NE(got.find(absl::StrCat("Argument 0", named ? " ('x')" : "")),
              std::string::npos)
        << got;
    EXPECT_NE(got.find(row.want), std::string::npos) << got;
  }
}

TEST(HostileLinker, ChecksObjects) {
  Linker linker;
  ASSERT_TRUE(linker.Define("host.f", [](std::shared_ptr<Object>) {
    ADD_FAILURE() << "It is called.";
  }));
  ASSERT_TRUE(
      linker.Define("host.new", [] { return std::make_shared<Other>(); }));
  tests::ModuleBuilder module;
  AddForwarding(module, "host.f", "0r_v");
  AddForwarding(module, "host.new", "0v_r", "", "new");
  auto context =
      Context::Create(CpuDevice(), Loaded(module), {.linker = &linker});
  const auto object = context->Call("new", {});
  for (const Value& value : {object->front(), Value::List({1})}) {
    const std::string text = Text(context->Call("f", {value}));
    EXPECT_NE(text.find("is passed; ref<"), std::string::npos) << text;
  }
}

template <typename T>
struct Box {};

// Two types can have one name, because signatures have only some characters.
TEST(HostileLinker, TellsTypesOfOneNameApart) {
  using One = Box<int*>;
  using Other = Box<int&>;
  const std::string name = internal::ObjectName<One>();
  ASSERT_EQ(name, internal::ObjectName<Other>());
  Linker linker;
  int calls = 0;
  ASSERT_TRUE(linker.Define("host.f", [&](std::shared_ptr<One>) { ++calls; }));
  ASSERT_TRUE(
      linker.Define("host.one", [] { return std::make_shared<One>(); }));
  ASSERT_TRUE(
      linker.Define("host.other", [] { return std::make_shared<Other>(); }));
  tests::ModuleBuilder module;
  AddForwarding(module, "host.f", "0r_v");
  AddForwarding(module, "host.one", "0v_r", "", "one");
  AddForwarding(module, "host.other", "0v_r", "", "other");
  auto context =
      Context::Create(CpuDevice(), Loaded(module), {.linker = &linker});
  ASSERT_TRUE(context) << Text(context);
  EXPECT_EQ(Text(context->Call("f", *context->Call("one", {}))), "");
  EXPECT_EQ(FirstLine(Text(context->Call("f", *context->Call("other", {})))),
            "3: Argument 0 is an object of another C++ type with the name " +
                name + ".");
  EXPECT_EQ(calls, 1);
}

TEST(HostileLinker, ChecksResults) {
  const struct {
    const char* signature;
    const char* convention;
    std::vector<Value> results;
    const char* want;
  } kRows[] = {
      {"() -> ()",
       "0v_v",
       {1},
       "3: The host function host.f returns 1 value; expected 0."},
      {"() -> (i32, i32)",
       "0v_ii",
       {1},
       "3: The host function host.f returns 1 value; expected 2."},
      {"() -> i8",
       "0v_i",
       {300},
       "3: Result 0 of the host function host.f: 300 is out of range for i8 "},
      {"() -> i32",
       "0v_i",
       {"text"},
       "3: Result 0 of the host function host.f: "},
      {"() -> ?xf32",
       "0v_r",
       {Value()},
       "3: Result 0 of the host function host.f: null is given; ?xf32 is "
       "expected."},
      {"() -> 3xf32",
       "0v_r",
       {Ints(2)},
       "3: Result 0 of the host function host.f: "},
      {"() -> (i32, bytes)",
       "0v_ir",
       {1, 2},
       "3: Result 1 of the host function host.f: the integer 2 is given; bytes "
       "is expected."},
      {"() -> ref<a>",
       "0v_r",
       {Value::List({1})},
       "3: Result 0 of the host function host.f: a list of 1 is returned; "
       "ref<a> is expected."},
      {"() -> (bytes, [i32])",
       "0v_rr",
       {"text", Value::List({"text"})},
       "3: Result 1[0] of the host function host.f: "},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.signature);
    Linker linker;
    ASSERT_TRUE(linker.DefineAny(
        "host.f", row.signature,
        [&](HostCall&, std::span<const Value>) -> Result<std::vector<Value>> {
          return row.results;
        }));
    const std::string got =
        FirstLine(Text(CallForwarded(linker, row.convention, "", {})));
    EXPECT_EQ(got.substr(0, std::string(row.want).size()), row.want) << got;
  }
}

// A list that contains itself has no end.
TEST(HostileLinker, ReadsNoEndlessLists) {
  tests::ModuleBuilder module;
  module.AddImport("host.f", "0r_v");
  module.types = {"!vm.list", "!vm.ref<?>"};
  module.AddFunction(
      "f", "0v_v",
      "entry: const.i32 1 i0 list.alloc 1 i0 r0 list.resize r0 i0 const.i32 0 "
      "i1 list.set.ref r0 i1 r0 call #0 [r0] [] return []");
  Linker linker;
  ASSERT_TRUE(linker.Define(
      "host.f", [](const Value&) { ADD_FAILURE() << "It is called."; }));
  auto context =
      Context::Create(CpuDevice(), Loaded(module), {.linker = &linker});
  ASSERT_TRUE(context) << Text(context);
  const std::string text = Text(context->Call("f", {}));
  EXPECT_NE(text.find("nested 129 deep"), std::string::npos) << text;
}

// The library owns the values of the first call, too.
TEST(HostileLinker, ReplacesResults) {
  Linker linker;
  ASSERT_EQ(ErrorText(eyrie_linker_define(
                linker.get(), "host.f", "() -> (bytes, i8)",
                [](eyrie_host_call_t* call, const eyrie_slot_t*,
                   eyrie_slot_t* results, void*) -> eyrie_error_t* {
                  for (const int number : {300, 7}) {
                    eyrie_value_t* const values[] = {
                        eyrie_value_new_bytes("text", 4),
                        eyrie_value_new_i32(number)};
                    EXPECT_EQ(ErrorText(eyrie_host_call_set_results(
                                  call, values, 2, results)) == "OK",
                              number == 7);
                  }
                  return nullptr;
                },
                nullptr, nullptr)),
            "OK");
  EXPECT_EQ(FirstLine(Text(CallForwarded(
                linker, "0v_ri", "sync func @f() -> (!util.buffer, i32)", {}))),
            "\"text\" 7");
}

TEST(HostileLinker, ChecksArraysOfHost) {
  Linker linker;
  const int64_t kShapes[][2] = {{-1, 1}, {int64_t{1} << 40, int64_t{1} << 40}};
  ASSERT_TRUE(linker.Define("host.f", [&](HostCall& call) {
    for (const auto& shape : kShapes) {
      const auto made = call.New<float>(shape);
      EXPECT_FALSE(made);
      EXPECT_EQ(made.error().code(), EYRIE_INVALID_ARGUMENT) << Text(made);
    }
    eyrie_value_t* value = nullptr;
    EXPECT_EQ(ErrorText(eyrie_host_call_copy_argument(call.get(), 0, &value)),
              "11: The host function host.f has no argument 0, counted from "
              "0.");
  }));
  EXPECT_EQ(FirstLine(Text(CallForwarded(linker, "0v_v", "", {}))), "");
}

// The memory of a context limits arrays and values of its host functions.
TEST(HostileLinker, CountsMemory) {
  Linker linker;
  ASSERT_TRUE(linker.Define("host.f", [](HostCall& call) -> Result<void> {
    auto made = call.New<float>({1 << 20});
    if (!made) return made.error();
    return {};
  }));
  auto context = Context::Create(CpuDevice(), Forwarding("host.f", "0v_v"),
                                 {.max_memory = 1 << 20, .linker = &linker});
  const auto called = context->Call("f", {});
  ASSERT_FALSE(called);
  EXPECT_EQ(called.error().code(), EYRIE_RESOURCE_EXHAUSTED) << Text(called);
}

// The module drops the result, so that only its encoding can exceed the limit.
TEST(HostileLinker, CountsMemoryOfResults) {
  constexpr size_t kBytes = 1 << 20;
  const struct {
    const char* what;
    Value result;
  } kRows[] = {
      {"text", Value(std::string(kBytes, 'x'))},
      {"list", Value::List(std::vector<Value>(kBytes / 16, Value(7)))},
      {"text in a list", Value::List({Value(std::string(kBytes, 'x'))})},
  };
  tests::ModuleBuilder module;
  module.AddImport("host.f", "0v_r");
  module.AddFunction("f", "0v_v", "entry: call #0 [] [r0] return []");
  for (const auto& row : kRows) {
    for (const bool fits : {false, true}) {
      SCOPED_TRACE(absl::StrCat(row.what, fits));
      Linker linker;
      ASSERT_TRUE(linker.Define(
          "host.f", [&](HostCall&) -> Result<Value> { return row.result; }));
      auto context = Context::Create(
          CpuDevice(), Loaded(module),
          {.max_memory = kBytes * (fits ? 3 : 1) - 1, .linker = &linker});
      const auto called = context->Call("f", {});
      EXPECT_EQ(Text(called).substr(0, 2), fits ? "" : "8:") << Text(called);
    }
  }
}

// ---- Native functions of this program ---------------------------------------

struct Memref {
  float* base;
  float* data;
  int64_t offset, size, stride;
};

float Peak(const Memref* in) {
  float peak = 0;
  for (int64_t i = 0; i < in->size; ++i) {
    peak = std::max(peak, in->data[in->offset + i * in->stride]);
  }
  return peak;
}

eyrie_ffi_error_t* Double(eyrie_ffi_call_frame_t* frame) {
  if (frame->extension != nullptr) {
    eyrie_ffi_metadata_t* metadata =
        reinterpret_cast<eyrie_ffi_metadata_extension_t*>(frame->extension)
            ->metadata;
    metadata->api_version.major = EYRIE_FFI_MAJOR;
    metadata->api_version.minor = EYRIE_FFI_MINOR;
    return nullptr;
  }
  const auto* in =
      static_cast<const eyrie_ffi_buffer_t*>(frame->args.values[0]);
  const auto* out =
      static_cast<const eyrie_ffi_buffer_t*>(frame->results.values[0]);
  for (int64_t i = 0; i < in->dims[0]; ++i) {
    static_cast<float*>(out->data)[i] = 2 * static_cast<float*>(in->data)[i];
  }
  return nullptr;
}

constexpr char kDouble[] =
    R"({"arguments": ["?xf32"], "results": [{"like": 0}]})";

tests::ModuleBuilder NativeModule() {
  tests::ModuleBuilder module;
  AddForwarding(module, "host.peak", "0r_f",
                "sync func @peak(%a: tensor<?xf32>) -> f32", "peak");
  AddForwarding(module, "host.double", "0r_r",
                "sync func @double(%a: tensor<?xf32>) -> tensor<?xf32>",
                "double");
  AddForwarding(module, "host.half", "0f_f", "", "half");
  return module;
}

std::string CallAll(const Linker& linker) {
  auto context =
      Context::Create(CpuDevice(), Loaded(NativeModule()), {.linker = &linker});
  if (!context) return Text(context);
  const Value floats = *Value::Array({3}, {1.f, 5.f, 2.f});
  return absl::StrCat(Text(context->Call("peak", {floats})), " ",
                      Text(context->Call("double", {floats})), " ",
                      Text(context->Call("half", {3.f})));
}

TEST(ProgramLinker, DefinesNativeFunctions) {
  Linker linker;
  ASSERT_TRUE(linker.Define("host.half", [](float x) { return x / 2; }));
  EXPECT_EQ(
      Text(linker.DefineMemref("host.peak", "(memref<?xf32>) -> f32", Peak)),
      "OK");
  EXPECT_EQ(Text(linker.DefineXlaFfi("host.double", kDouble, Double)), "OK");
  EXPECT_EQ(CallAll(linker), "5f 3x21000020=12 1.5f");
  EXPECT_EQ(Text(linker.DefineMemref("host.peak", "() -> ()", Peak)),
            "6: The linker already has a function host.peak.");
  EXPECT_EQ(Text(linker.DefineMemref("peak", "() -> ()", Peak)),
            "3: The name of a native function is 'peak'; expected "
            "'module.function'.");
  EXPECT_EQ(Text(linker.DefineMemref("host.x", "(f31)", Peak)).substr(0, 4),
            "12: ");
  EXPECT_EQ(Text(linker.DefineXlaFfi("host.x", "[]", Double)),
            "3: The declaration of the XLA FFI handler host.x is not a JSON "
            "object.");
}

TEST(ProgramLinker, TakesManifestsAsText) {
  const char* const manifest = R"({"module": "host", "functions": {
      "peak": {"convention": "memref", "type": "(memref<?xf32>) -> f32"},
      "double": {"convention": "xla_ffi", "symbol": "Double",
                 "arguments": ["?xf32"], "results": [{"like": 0}]}}})";
  const std::vector<NativeLibrary::Symbol> symbols = {
      {"_mlir_ciface_peak", reinterpret_cast<void*>(Peak)},
      {"Double", reinterpret_cast<void*>(Double)}};
  auto library = NativeLibrary::OfProgram(manifest, symbols);
  ASSERT_TRUE(library) << Text(library);
  EXPECT_EQ(library->functions(),
            (std::vector<std::string>{"host.double", "host.peak"}));
  Linker linker;
  ASSERT_TRUE(linker.Define("host.half", [](float x) { return x / 2; }));
  ASSERT_EQ(Text(linker.AddLibrary(*library)), "OK");
  EXPECT_EQ(CallAll(linker), "5f 3x21000020=12 1.5f");
  EXPECT_EQ(Text(linker.AddLibrary(*library)),
            "6: The linker already has a function host.double.");
  EXPECT_EQ(Text(NativeLibrary::OfProgram(manifest, {symbols[0]})),
            "5: The symbol 'Double' is not given. (native function host.double "
            "of 'this program')");
  EXPECT_EQ(Text(NativeLibrary::OfProgram("{", {})).substr(0, 3), "3: ");
}

TEST(ProgramLinker, NeedsDeviceForNativeFunctions) {
  Linker linker;
  ASSERT_TRUE(linker.DefineMemref(
      "host.f", "(f32) -> f32", +[](float x) { return x; }));
  const Module module = Forwarding("host.f", "0f_f");
  EXPECT_EQ(Text(Context::Create({}, {&module}, {.linker = &linker})),
            "3: The linker has native functions, and there is no device for "
            "their results.");
}

// Host functions need no device.
TEST(ProgramLinker, RunsWithoutDevice) {
  Linker linker;
  ASSERT_TRUE(linker.Define("host.f", [](float x) { return x; }));
  const Module module = Forwarding("host.f", "0f_f");
  auto context = Context::Create({}, {&module}, {.linker = &linker});
  EXPECT_EQ(Text(context->Call("f", {2.f})), "2f");
}

}  // namespace
}  // namespace eyrie
