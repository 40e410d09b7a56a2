// The text of functions does not depend on the order of a module's tables.
#include "vm/asm/function_texts.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "vm/asm/assembler.h"
#include "vm/module/verifier.h"

namespace eyrie::vm {
namespace {

// Returns "name instructions:\ntext" of each function.
std::string TextsOf(absl::string_view source,
                    const std::vector<std::string>& constants) {
  const auto bytes = Assemble(source, "test.vmasm");
  if (!bytes.ok()) return std::string(bytes.status().message());
  const auto module = LoadModule(*bytes, "test");
  if (!module.ok()) return std::string(module.status().message());
  std::string texts;
  const absl::Status status = VisitFunctionTexts(
      **module, constants, [&texts](const FunctionText& text) {
        absl::StrAppend(&texts, text.function, " ", text.name, " ",
                        text.instructions, ":\n", text.text);
      });
  return status.ok() ? texts : std::string(status.message());
}

TEST(FunctionTexts, NameConstantsAndCallees) {
  const std::string text = TextsOf(
      "vm.module @m\n"
      "vm.import @x.f cconv \"0r_v\"\n"
      "vm.rodata[0] = 00\n"
      "vm.rodata[1] = 0102\n"
      "//! loc[0] = \"a.mlir\":1:2\n"
      "vm.func @g() -> () {\n"
      "  vm.return\n"
      "}\n"
      "vm.export @f\n"
      "vm.func @f() -> () {\n"
      "  %r0 = vm.const.ref.rodata 1  //! loc[0]\n"
      "  vm.call @x.f(%R0)\n"
      "  vm.call @g()\n"
      "  vm.return\n"
      "}\n",
      {"zero", "two"});
  EXPECT_EQ(text,
            "0 fn0 1:\n"
            "^bb0:\n"
            "  vm.return\n"
            "1 f 4:\n"
            "^bb0:\n"
            "  %r0 = vm.const.ref.rodata two\n"
            "  vm.call @x.f(%R0)\n"
            "  vm.call @fn0()\n"
            "  vm.return\n");
}

TEST(FunctionTexts, DoNotDependOnOrdinals) {
  const std::string code =
      "vm.export @f\n"
      "vm.func @f() -> () {\n"
      "  %r0 = vm.const.ref.rodata ";
  const std::string end = "\n  vm.call @x.f(%R0)\n  vm.return\n}\n";
  const std::string before =
      TextsOf(absl::StrCat("vm.module @m\n"
                           "vm.import @x.f cconv \"0r_v\"\n"
                           "vm.rodata[0] = 0102\n",
                           code, 0, end),
              {"two"});
  const std::string after =
      TextsOf(absl::StrCat("vm.module @m\n"
                           "vm.import @x.e cconv \"0_v\"\n"
                           "vm.import @x.f cconv \"0r_v\"\n"
                           "vm.rodata[0] = 00\n"
                           "vm.rodata[1] = 0102\n",
                           code, 1, end),
              {"zero", "two"});
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace eyrie::vm
