// Native libraries through the embedding API.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/strings/str_cat.h"
#include "eyrie/linked_program.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "vm/asm/assembler.h"

namespace eyrie {
namespace {

constexpr char kLibrary[] = "tests/native/lib/handlers_3_noted.so";
constexpr char kPlain[] = "tests/native/lib/handlers_3.so";
constexpr char kManifest[] = "tests/native/handlers.json";
constexpr char kModule[] = "tests/native/modules/3.13/scale.vmfb";

// Returns the first result's first element, or the error.
template <typename T>
std::string FirstOf(const Result<std::vector<Value>>& results) {
  if (!results.ok()) return FirstLine(Text(results));
  return absl::StrCat(results->front().elements<T>()->front());
}

// Returns an array's type, shape and elements.
std::string Described(const Value& value) {
  const auto array = value.array();
  std::string text = absl::StrCat(array->dtype(), ":");
  for (const int64_t dim : array->shape()) absl::StrAppend(&text, dim, "x");
  if (const auto floats = value.elements<float>(); floats.ok()) {
    for (const float each : *floats) absl::StrAppend(&text, " ", each);
  } else {
    for (const int32_t each : *value.elements<int32_t>()) {
      absl::StrAppend(&text, " ", each);
    }
  }
  return text;
}

class NativeApiTest : public testing::Test {
 protected:
  Result<Context> NewContext(const ContextOptions& options) {
    return Context::Create(*device_, *module_, options);
  }
  static Result<Value> Array() {
    return Value::Array({2}, std::vector<float>{1, 2});
  }

  Result<Device> device_ = Device::Open("local-sync");
  Result<Module> module_ = Module::Load(kModule);
};

TEST_F(NativeApiTest, ModulesCallThem) {
  Result<NativeLibrary> library = NativeLibrary::Open(kLibrary);
  ASSERT_EQ(Text(library), "OK");
  EXPECT_EQ(library->functions().front(), "xffi.add_in_bytes");
  EXPECT_EQ(library->functions().back(), "xffi.wrong_size");
  EXPECT_EQ(eyrie_native_library_function_name(library->get(), 1000), nullptr);
  Result<Context> context = NewContext({.native_libraries = {&*library}});
  ASSERT_EQ(Text(context), "OK");
  EXPECT_EQ(FirstOf<float>(context->Call("twice", {*Array()})), "6");
  // Two contexts. The caller has released its own reference to the library.
  Result<Context> other = NewContext({.native_libraries = {&*library}});
  library = NativeLibrary::Open(kPlain, kManifest);
  ASSERT_EQ(Text(library), "OK");
  EXPECT_EQ(FirstOf<float>(other->Call("negate", {*Array()})), "1");
  EXPECT_EQ(FirstLine(Text(context->Call("fails", {*Array()}))),
            "10: The work went wrong.");
}

TEST_F(NativeApiTest, UserDataReachesHandlers) {
  const auto bytes = vm::Assemble(
      "vm.module @m version 0\n"
      "vm.import @\"xffi.user_data\" cconv \"0v_r\"\n"
      "vm.export @\"f\" = @f\n"
      "vm.func @f() -> (!vm.ref<?>) {\n"
      "  %r0 = vm.call @\"xffi.user_data\"()\n  vm.return %r0\n}\n",
      "m");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  module_ = Module::Load(std::as_bytes(std::span<const uint8_t>(*bytes)));
  ASSERT_EQ(Text(module_), "OK");
  int64_t number = 4711;
  for (const int version : {1, 2, 3}) {
    SCOPED_TRACE(version);
    Result<NativeLibrary> library = NativeLibrary::Open(
        absl::StrCat("tests/native/lib/handlers_", version, "_noted.so"));
    ASSERT_EQ(Text(library), "OK");
    const struct {
      const char* type;
      const char* want;
    } kRows[] = {
        {"eyrie.test.Counter", "4711"},
        {"eyrie.test.Other",
         "5: The call has no user data of the type 'eyrie.test.Counter'."},
    };
    for (const auto& row : kRows) {
      Result<Context> context =
          NewContext({.native_libraries = {&*library},
                      .native_data = {{row.type, &number}}});
      ASSERT_EQ(Text(context), "OK");
      EXPECT_EQ(FirstOf<int64_t>(context->Call("f", {})), row.want);
    }
  }
}

// sum += by * x. A memref function that is lowered with bare pointers.
float AccumulatePointers(float* x, float* sum, float by) {
  for (int i = 0; i < 2; ++i) sum[i] += by * x[i];
  return sum[0];
}

TEST_F(NativeApiTest, CallsFunctionsOfBarePointers) {
  const auto bytes = vm::Assemble(R"vm(
vm.module @m version 0
vm.import @own.bare cconv "0rrf_fr"
vm.export @f = @f
vm.func @f(%r0: !vm.ref<?>, %r1: !vm.ref<?>) -> (f32, !vm.ref<?>) {
  %i0 = vm.const.f32 2
  %i0, %r0 = vm.call @own.bare(%R0, %R1, %i0)
  vm.return %i0, %R0
}
)vm",
                                  "m");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  module_ = Module::Load(std::as_bytes(std::span<const uint8_t>(*bytes)));
  const std::vector<NativeLibrary::Symbol> symbols = {
      {"bare", reinterpret_cast<void*>(&AccumulatePointers)}};
  const std::string manifest =
      R"json({"module": "own", "functions": {"bare": {"convention": "memref",
        "bare_pointers": true, "outputs": [{"inout": 1}], "type": )json";
  const struct {
    const char* type;
    const char* want;
  } kRows[] = {
      {"(memref<2xf32>, memref<2xf32>, f32) -> f32", "553648160:2x 12 24"},
      {"(memref<?xf32>, memref<2xf32>, f32) -> f32",
       "12: In the manifest, function 'bare' has bare pointers and an argument "
       "that is not a memref of static sizes without a layout, memref<?xf32>."},
      {"(memref<2xf32>, memref<2xf32>, f32) -> memref<2xf32>",
       "12: In the manifest, function 'bare' has bare pointers and other "
       "results than one scalar, (memref<2xf32>, memref<2xf32>, f32) -> "
       "memref<2xf32>."},
  };
  for (const auto& row : kRows) {
    Result<NativeLibrary> own = NativeLibrary::OfProgram(
        absl::StrCat(manifest, "\"", row.type, "\"}}}"), symbols);
    if (!own.ok()) {
      EXPECT_EQ(FirstLine(Text(own)), row.want);
      continue;
    }
    Result<Context> context = NewContext({.native_libraries = {&*own}});
    ASSERT_EQ(Text(context), "OK");
    alignas(64) float memory[2] = {10, 20};
    const auto results =
        context->Call("f", {*Array(), *Value::Borrow({2}, memory)});
    ASSERT_TRUE(results.ok()) << Text(results);
    EXPECT_EQ((*results)[0].As<double>(), 12);
    EXPECT_EQ(Described((*results)[1]), row.want);
    EXPECT_EQ(memory[0], 10);  // it had a copy
  }
}

// A linker cannot take one function of this library. It keeps those before it.
TEST_F(NativeApiTest, LinkersRememberPartsOfLibraries) {
  Result<NativeLibrary> library = NativeLibrary::Open(kLibrary);
  ASSERT_EQ(Text(library), "OK");
  Linker linker;
  EXPECT_EQ(Text(linker.AddLibrary(*library)).substr(0, 4), "12: ");
  EXPECT_GT(linker.functions().size(), 0u);
  EXPECT_LT(linker.functions().size(), library->functions().size());
  device_ = Device::Open("local-sync", {.no_native_code = true});
  EXPECT_EQ(Text(NewContext({.linker = &linker})).substr(0, 3), "7: ");
}

TEST_F(NativeApiTest, RefusesInSentences) {
  const struct {
    const char* path;
    const char* manifest;
    const char* want;
  } kRows[] = {
      {"none.so", "", "5: Cannot open none.so: No such file or directory."},
      {kPlain, "none.json",
       "5: Cannot open none.json: No such file or directory."},
      {kPlain, "",
       "5: 'tests/native/lib/handlers_3.so' has no manifest: it has no note "
       ".note.eyrie.abi, and there is no file "
       "'tests/native/lib/handlers_3.so.json'."},
      {kModule, kManifest,
       "3: 'tests/native/modules/3.13/scale.vmfb' is not a shared library: it "
       "does not begin with ELF's magic number."},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(FirstLine(Text(NativeLibrary::Open(row.path, row.manifest))),
              row.want);
  }
  EXPECT_EQ(FirstLine(Text(NewContext({}))),
            "5: Module module requires module xffi version 0, which is not "
            "loaded before it (loaded: hal 7). Another module's file before "
            "it may be that module, or a native library may offer it "
            "(--native_library).");
  Result<NativeLibrary> library = NativeLibrary::Open(kLibrary);
  EXPECT_EQ(
      FirstLine(Text(NewContext({.native_libraries = {&*library, &*library}}))),
      "6: Two native libraries have a function xffi.add_in_bytes: "
      "'tests/native/lib/handlers_3_noted.so' and "
      "'tests/native/lib/handlers_3_noted.so'.");
  EXPECT_EQ(Text(NewContext({.native_libraries = {&*library},
                             .native_data = {{"T", nullptr}}})),
            "3: The user data of the type 'T' is null.");
  device_ = Device::Open("local-sync", {.no_native_code = true});
  EXPECT_EQ(FirstLine(Text(NewContext({.native_libraries = {&*library}}))),
            "7: Native libraries are given, and local-sync does not allow "
            "native code.");
}

// Results are used again only after they are released, for each type and shape.
TEST_F(NativeApiTest, KeepsResultsApart) {
  const auto bytes = vm::Assemble(
      "vm.module @m version 0\n"
      "vm.import @\"xffi.copy\" cconv \"0r_r\"\n"
      "vm.export @\"f\" = @f\n"
      "vm.func @f(%r0: !vm.ref<?>) -> (!vm.ref<?>) {\n"
      "  %r1 = vm.call @\"xffi.copy\"(%r0)\n  vm.return %r1\n}\n",
      "m");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  module_ = Module::Load(std::as_bytes(std::span<const uint8_t>(*bytes)));
  Result<NativeLibrary> library = NativeLibrary::Open(kLibrary);
  Result<Context> context = NewContext({.native_libraries = {&*library}});
  ASSERT_EQ(Text(context), "OK");
  const struct {
    std::vector<int64_t> shape;
    bool keep;
  } kRows[] = {
      {{2}, true},     {{2}, true},     {{2}, true}, {{2}, false},
      {{2}, false},    {{1, 2}, false}, {{2}, true}, {{1, 2}, true},
      {{8192}, true},  {{8192}, true},  {{3}, true}, {{3}, false},
      {{0}, true},     {{0}, true},     {{}, true},  {{}, true},
      {{2, 3}, false}, {{3, 2}, true},
  };
  std::vector<Value> kept;
  std::vector<std::string> wanted;
  const auto call = [&](const Value& argument, bool keep) {
    Result<std::vector<Value>> results = context->Call("f", {argument});
    ASSERT_TRUE(results.ok()) << Text(results);
    EXPECT_EQ(Described(results->front()), Described(argument));
    if (!keep) return;
    wanted.push_back(Described(argument));
    kept.push_back(std::move(results->front()));
  };
  for (const auto& row : kRows) {
    const auto number = static_cast<int>(&row - kRows);
    int64_t count = 1;
    for (const int64_t dim : row.shape) count *= dim;
    const auto size = static_cast<size_t>(count);
    const auto floats =
        Value::Array(row.shape, std::vector<float>(size, number + 0.5f));
    const auto ints =
        Value::Array(row.shape, std::vector<int32_t>(size, number));
    call(*floats, row.keep);
    call(*floats, row.keep);
    call(*ints, row.keep);
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(Described(kept[i]), wanted[i]);
  }
}

// A struct from before native libraries existed has none.
TEST_F(NativeApiTest, SizesOfOptions) {
  Result<NativeLibrary> library = NativeLibrary::Open(kLibrary);
  eyrie_native_library_t* libraries[] = {library->get()};
  eyrie_module_t* modules[] = {module_->get()};
  eyrie_device_t* devices[] = {device_->get()};
  const eyrie_native_data_t twice[] = {{sizeof(twice[0]), "T", this},
                                       {sizeof(twice[0]), "T", this}};
  eyrie_context_options_t options = {};
  options.native_libraries = libraries;
  options.native_library_count = 1;
  options.native_data = twice;
  options.native_data_count = 2;
  const struct {
    size_t size;
    const char* want;
  } kRows[] = {
      {sizeof(options) - 1,
       "The struct_size of the context options (151) is below that of the "
       "first version (152)."},
      {sizeof(options), "The user data of the type 'T' is given twice."},
  };
  for (const auto& row : kRows) {
    options.struct_size = row.size;
    eyrie_context_t* context = nullptr;
    eyrie_error_t* error =
        eyrie_context_create(modules, 1, devices, 1, &options, &context);
    ASSERT_NE(error, nullptr);
    EXPECT_STREQ(eyrie_error_message(error), row.want);
    eyrie_error_free(error);
  }
}

TEST(LinkedProgram, TextManifestAndTargets) {
  const std::string text =
      "func.func @f() { stablehlo.custom_call @g() {api_version = 4} : () -> "
      "() "
      "}";
  const auto program = LinkedProgram::Create(text, "m");
  ASSERT_TRUE(program) << program.error().message();
  EXPECT_NE(program->text().find("func.call @\"m.g\"()"), std::string::npos);
  EXPECT_NE(program->manifest().find("\"module\": \"m\""), std::string::npos);
  EXPECT_EQ(program->targets(), std::vector<std::string>{"g"});
  for (const char* module : {"", "a b"}) {
    EXPECT_EQ(LinkedProgram::Create(text, module).error().code(),
              EYRIE_INVALID_ARGUMENT);
  }
  EXPECT_EQ(LinkedProgram::Create("").error().code(), EYRIE_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace eyrie
