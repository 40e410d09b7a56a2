// Compares modules of a few lines of assembly.
#include "tools/diff/changes.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tools/diff/module_parts.h"
#include "vm/asm/assembler.h"
#include "vm/module/verifier.h"

namespace eyrie::tools {
namespace {

ModuleParts PartsOf(const std::string& text) {
  const auto bytes = vm::Assemble(text, "test.vmasm");
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  if (!bytes.ok()) return {};
  const auto module = vm::LoadModule(*bytes, "test");
  EXPECT_TRUE(module.ok()) << module.status().message();
  if (!module.ok()) return {};
  auto parts = ReadModuleParts(**module);
  EXPECT_TRUE(parts.ok()) << parts.status().message();
  return parts.ok() ? *std::move(parts) : ModuleParts{};
}

// Returns "section ~name property=before>after; …"; '?' is an absent value.
std::string Changes(const ModuleParts& before, const ModuleParts& after) {
  std::string text;
  for (const SectionChange& section : CompareParts(before, after)) {
    for (const ItemChange& item : section.items) {
      absl::StrAppend(&text, text.empty() ? "" : "; ", section.before->name,
                      " ",
                      item.after == nullptr    ? "-"
                      : item.before == nullptr ? "+"
                                               : "~",
                      item.name());
      for (const PropertyChange& property : item.properties) {
        absl::StrAppend(&text, " ", property.name(), "=",
                        property.before ? property.before->value : "?", ">",
                        property.after ? property.after->value : "?");
      }
    }
  }
  return text;
}

constexpr char kReturn[] = "vm.func @f() -> () {\n  vm.return\n}\n";

TEST(Changes, AreNamedBySection) {
  const struct {
    const char* before;  // the lines between vm.module and kReturn
    const char* after;
    const char* want;
  } kRows[] = {
      {"", "", ""},
      {"//! attr \"k\" = \"1\"\n", "//! attr \"k\" = \"2\"\n",
       "attributes ~k value=1>2"},
      {"//! depends @x version 1\n", "//! depends optional @x version 2\n",
       "dependencies ~x version=1 or later>2 or later, optional"},
      {"vm.type !a.b\n", "vm.type !a.c\n", "types -!a.b; types +!a.c"},
      {"vm.import @x.f cconv \"0i_v\"\n", "vm.import @x.f cconv \"0I_r\"\n",
       "imports ~x.f signature=(i32) -> ()>(i64) -> (!vm.ref<?>)"},
      {"", "vm.import optional @x.f cconv \"0v_v\"\n",
       "imports +x.f signature=?>() -> (), optional"},
      // The order of constants, and that of equal ones, does not matter.
      {"vm.rodata[0] = 01\nvm.rodata[1] = 02\n",
       "vm.rodata[0] = 02\nvm.rodata[1] = 01\n", ""},
      {"vm.rodata[0] = 01\nvm.rodata[1] = 01\n", "vm.rodata[0] = 01\n",
       "constants -4bf5122f344554c53bde2ebb8cd2b7e3 size=1 byte>?"},
      {"", "//! globals 8 bytes, 1 refs\n",
       "module ~globals value=0 bytes and 0 references>8 bytes and 1 "
       "reference"},
      {"//! bytecode 15.0\n", "//! bytecode 17.0\n",
       "module ~compiled by value=iree-compile 20230404 to 3.9>iree-compile "
       "3.11 to 3.13; module ~bytecode value=15.0>17.0"},
      {"", "//! archive zip\n", "module ~container value=FlatBuffer>ZIP"},
  };
  for (const auto& row : kRows) {
    const auto parts = [](const char* lines) {
      return PartsOf(absl::StrCat("vm.module @m\n", lines, kReturn));
    };
    EXPECT_EQ(Changes(parts(row.before), parts(row.after)), row.want);
  }
}

TEST(Changes, OfFunctions) {
  const auto parts = [](const char* lines) {
    return PartsOf(absl::StrCat("vm.module @m\n", lines));
  };
  EXPECT_EQ(Changes(parts("vm.export @f\nvm.func @f() -> () {\n"
                          "  vm.return\n}\n"),
                    parts("vm.export @f\nvm.func @f(%i0: i32) -> (i32) {\n"
                          "  vm.return %i0\n}\n")),
            "exports ~f signature=f() -> ()>f(i32) -> i32; "
            "functions ~f signature=() -> ()>(i32) -> (i32) "
            "code=1 instruction, 85f5776fbc27e7d2f390df25d4fa8c40>"
            "1 instruction, 7b9f8ab64c4eb99bf89d68b95071a025 "
            "registers=0 i32, 0 ref>1 i32, 0 ref");
  EXPECT_EQ(Changes(parts("vm.export @f\n//! func.attr \"doc\" = \"a\"\n"
                          "vm.func @f() -> () {\n  vm.return\n}\n"),
                    parts("vm.export @f\n//! func.attr \"text\" = \"b\"\n"
                          "vm.func @f() -> () {\n  vm.return\n}\n")),
            "exports ~f reflection doc=a>? reflection text=?>b");
}

TEST(Changes, PairTheSecondOfANameWithTheSecond) {
  const auto parts = [](std::vector<Item> items) {
    return ModuleParts{{{"s", std::move(items)}}, {}};
  };
  const Item a1{"a", {{"p", "1"}}};
  const Item a2{"a", {{"p", "2"}}};
  const Item b{"b", {}};
  EXPECT_EQ(Changes(parts({a1, b, a2}), parts({a1, a2, b})), "");
  EXPECT_EQ(Changes(parts({a1, b}), parts({a1, a2, b})), "s +a p=?>2");
  EXPECT_EQ(Changes(parts({a1, a2}), parts({a2})), "s ~a p=1>2; s -a p=2>?");
  EXPECT_EQ(Changes(parts({}), parts({b, a1, a1})),
            "s +b; s +a p=?>1; s +a p=?>1");
}

}  // namespace
}  // namespace eyrie::tools
