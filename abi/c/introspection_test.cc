// Tests questions about modules, functions and the library, and answers to NULL
// and to good results.
#include <complex>
#include <span>
#include <string>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/strings/str_cat.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "tests/support/forwarding_module.h"
#include "tests/support/module_builder.h"

namespace eyrie {
namespace {

TEST(Introspection, ListsImports) {
  tests::ModuleBuilder builder;
  AddForwarding(builder, "host.f", "0fi_r");
  builder.AddImport("other.g?by=2", "0v_v", /*optional=*/true);
  const Module module = Loaded(builder);
  std::string text;
  for (const eyrie_import_info_t& import : module.imports()) {
    absl::StrAppend(&text, import.name, " ", import.calling_convention, " ",
                    import.is_optional, "|");
  }
  EXPECT_EQ(text, "host.f 0fi_r 0|other.g?by=2 0v_v 1|");
  EXPECT_EQ(eyrie_module_import(module.get(), 2), nullptr);
}

TEST(Introspection, TellsAsynchronousFunctions) {
  tests::ModuleBuilder builder;
  builder.AddFunction("sync", "0v_v", "entry: return []");
  builder.AddFunction("async", "0rr_v", "entry: return []")
      .attributes.emplace_back("iree.abi.model", "coarse-fences");
  auto context = Context::Create(*Device::Open("local-sync"), Loaded(builder));
  ASSERT_TRUE(context) << Text(context);
  EXPECT_FALSE(context->Find("sync")->is_async());
  EXPECT_TRUE(context->Find("async")->is_async());
}

TEST(Introspection, TellsFeatures) {
  std::string text;
  for (const char* const* name = eyrie_features(); *name != nullptr; ++name) {
    EXPECT_TRUE(eyrie_has_feature(*name)) << *name;
    absl::StrAppend(&text, *name, " ");
  }
  EXPECT_EQ(text,
            "jit local-sync local-task memref mpi tvm_ffi vulkan xla_ffi ");
  EXPECT_FALSE(eyrie_has_feature("cuda"));
  EXPECT_FALSE(eyrie_has_feature(""));
#if !EYRIE_VERSION_AT_LEAST(0, 1, 0) || EYRIE_VERSION_AT_LEAST(0, 1, 1) || \
    EYRIE_VERSION_AT_LEAST(1, 0, 0)
#error "EYRIE_VERSION_AT_LEAST is wrong."
#endif
}

TEST(Answers, ToNull) {
  EXPECT_EQ(eyrie_error_code(nullptr), EYRIE_OK);
  EXPECT_STREQ(eyrie_error_message(nullptr), "");
  eyrie_module_t* module = nullptr;
  EXPECT_EQ(ErrorText(eyrie_module_load_file(nullptr, &module)),
            "3: The path of the module is NULL.");
  EXPECT_EQ(Text(Module::Load(std::string("a\0b", 3))),
            "3: The path of the module has a NUL byte.");
}

TEST(Answers, ToErrorsOfGoodResults) {
  EXPECT_EQ(Result<int>(3).error().code(), EYRIE_OK);
  EXPECT_EQ(Result<void>().error().message(), "");
}

TEST(Elements, MayBeComplex) {
  using Complex = std::complex<float>;
  const auto array = Value::Array({2}, std::vector<Complex>{{1, 2}, {3, 4}});
  ASSERT_TRUE(array) << Text(array);
  EXPECT_EQ(array->array()->dtype(), EYRIE_DTYPE_C64);
  EXPECT_EQ((*array->elements<Complex>())[1], Complex(3, 4));
  EXPECT_FALSE(array->elements<double>());
  const auto tensor = Tensor<Complex>::From(*array);
  EXPECT_TRUE(tensor) << Text(tensor);
  // Integers may have another sign, but are not floats.
  const auto integers = Value::Array({1}, std::vector<int32_t>{1});
  EXPECT_TRUE(integers->elements<uint32_t>());
  EXPECT_FALSE(integers->elements<float>());
}

}  // namespace
}  // namespace eyrie
