// Assembles and disassembles texts, and checks error messages.
#include "vm/asm/assembler.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "vm/asm/assembler_test_texts.h"
#include "vm/asm/disassembler.h"
#include "vm/module/verifier.h"

namespace eyrie::vm {
namespace {

std::shared_ptr<const VerifiedModule> Load(const std::vector<uint8_t>& bytes) {
  auto module = LoadModule(bytes, "made");
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *module : nullptr;
}

// Returns the text of the assembled module, or the first line of the error.
std::string Again(const std::string& text) {
  const auto bytes = Assemble(text, "t");
  if (!bytes.ok()) {
    const std::string message(bytes.status().message());
    return message.substr(0, message.find('\n'));
  }
  const auto module = Load(*bytes);
  return module == nullptr ? "" : *Disassemble(*module);
}

// A module with one function that has these lines.
std::string Body(absl::string_view lines) {
  return absl::StrCat(kHead, "vm.func @f() -> () {\n", lines,
                      "\n  vm.return\n}\n");
}

TEST(Assembler, PrintsWhatItReads) {
  for (const char* line : kSameLines) {
    const std::string text = Body(absl::StrCat("^bb0:\n  ", line));
    EXPECT_TRUE(absl::StrContains(Again(text), absl::StrCat("  ", line, "\n")))
        << line << "\n"
        << Again(text);
  }
}

TEST(Assembler, ReadsOtherSpellings) {
  for (const auto& [line, want] : kOtherLines) {
    const std::string text = Body(absl::StrCat("^bb0:\n  ", line));
    EXPECT_TRUE(absl::StrContains(Again(text), absl::StrCat("  ", want, "\n")))
        << line << "\n"
        << Again(text);
  }
}

TEST(Assembler, SaysWhatIsWrongWithALine) {
  for (const auto& [line, want] : kWrongLines) {
    const std::string got = Again(Body(absl::StrCat("^bb0:\n  ", line)));
    EXPECT_TRUE(absl::StartsWith(got, absl::StrCat("t:12:", want)))
        << line << "\n"
        << got;
  }
}

TEST(Assembler, SaysWhatIsWrongWithAText) {
  for (const auto& [text, want] : kWrongTexts) {
    EXPECT_EQ(Again(text), want) << text;
  }
}

TEST(Assembler, ReadsOtherTexts) {
  for (const auto& [text, want] : kOtherTexts) {
    EXPECT_EQ(Again(text), want) << text;
  }
}

TEST(Assembler, KeepsWholeTexts) {
  for (const char* text : kWholeTexts) {
    EXPECT_EQ(Again(text), text);
    const auto once = Assemble(text, "t");
    const auto again = Assemble(Again(text), "other");
    ASSERT_TRUE(once.ok() && again.ok());
    EXPECT_EQ(*once, *again);
  }
}

TEST(Assembler, ShowsTheLineWithACaret) {
  const auto bytes = Assemble(
      "vm.module @m\nvm.func @f() -> () {\n  %i0 = vm.ad.i32 %i0, %i0\n}\n",
      "f.vmasm");
  EXPECT_EQ(bytes.status().message(),
            "f.vmasm:3:9: Instruction 'vm.ad.i32' does not exist. Did you mean "
            "'add.i32'?\n    %i0 = vm.ad.i32 %i0, %i0\n          ^");
}

// Long lines and messages are truncated; the caret counts characters.
TEST(Assembler, ShortensItsErrors) {
  const auto bytes = Assemble(
      absl::StrCat("vm.module @m\nvm.", std::string(100000, 'x')), "t");
  EXPECT_LT(bytes.status().message().size(), 1200u);
  EXPECT_TRUE(absl::StrContains(bytes.status().message(), "x...\n  vm.xx"));
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += "\xE6\xBC\xA2";
  const auto odd =
      Assemble(absl::StrCat("vm.module @\"", wide, "\" \xFFx"), "t");
  EXPECT_TRUE(absl::StrContains(odd.status().message(), "t:1:115: Expected"))
      << odd.status();
  EXPECT_TRUE(absl::StrContains(
      odd.status().message(), "\xBC\xA2\" ?x\n  " + std::string(18, ' ') + "^"))
      << odd.status();
}

TEST(Assembler, CountsBlocks) {
  std::string text = "vm.module @m\nvm.func @f() -> () {\n";
  for (int i = 0; i < 65535; ++i) {
    absl::StrAppend(&text, "^b", i, ":\n  vm.return\n");
  }
  const auto most = Assemble(text + "}\n", "t");
  EXPECT_TRUE(most.ok()) << most.status();
  EXPECT_EQ(Again(text + "^more:\n  vm.return\n}\n"),
            "t:131073:1: The function has more than 65535 blocks.");
}

TEST(Assembler, ArgumentsHaveARegisterEach) {
  const auto text = [](const char* bank, const char* type, int count) {
    std::string list;
    for (int i = 0; i < count; ++i) {
      absl::StrAppend(&list, i == 0 ? "" : ", ", "%", bank, i, ": ", type);
    }
    return absl::StrCat("vm.module @m\nvm.func @f(", list,
                        ") -> () {\n  vm.return\n}\n");
  };
  const struct {
    const char* bank;
    const char* type;
    int count;
    const char* want;
  } kRows[] = {
      {"i", "i32", 32768, "t:2:447640: The arguments need more than"},
      {"r", "!vm.buffer", 16384, "t:2:332945: The arguments need more than"},
  };
  for (const auto& row : kRows) {
    const auto most = Assemble(text(row.bank, row.type, row.count - 1), "t");
    EXPECT_TRUE(most.ok()) << most.status().message().substr(0, 200);
    const auto more = Assemble(text(row.bank, row.type, row.count), "t");
    EXPECT_TRUE(absl::StartsWith(more.status().message(), row.want))
        << more.status().message().substr(0, 200);
  }
}

// Errors of the verifier show their position, too.
TEST(Assembler, PlacesTheVerifiersErrors) {
  const std::string text =
      "vm.module @m\n"
      "vm.func @f(%i0: i32) -> () {\n"
      "  vm.call @f()\n"
      "  vm.return\n"
      "}\n";
  const auto bytes = Assemble(text, "t");
  EXPECT_TRUE(absl::StartsWith(bytes.status().message(),
                               "t:3:3: It has 0 arguments; the convention "
                               "0i_v has 1."))
      << bytes.status();
  AssemblerOptions options;
  options.verify = false;
  EXPECT_TRUE(Assemble(text, "t", options).ok());
}

TEST(Assembler, LaysGlobalsOutBySize) {
  const std::string dump = Again(
      "vm.module @m\n"
      "vm.global.i64 private mutable @wide = 0 : i64\n"
      "vm.global.i32 @a\n"
      "vm.global.ref @r : !vm.buffer\n"
      "vm.global.f32 mutable @b\n"
      "vm.global.f64 @exact\n"
      "vm.func @f() -> () {\n"
      "  %i0 = vm.global.load.i32 @a\n"
      "  %i1 = vm.global.load.f32 @b\n"
      "  %i2:3 = vm.global.load.i64 @wide\n"
      "  %i2:3 = vm.global.load.f64 @exact\n"
      "  %r0 = vm.global.load.ref @r : !vm.buffer\n"
      "  vm.return\n"
      "}\n");
  for (const char* want :
       {"load.i32 .rwdata[0]", "load.f32 .rwdata[4]", "load.i64 .rwdata[8]",
        "load.f64 .rwdata[16]", "load.ref .refs[0]"}) {
    EXPECT_TRUE(absl::StrContains(dump, want)) << want << "\n" << dump;
  }
}

TEST(Assembler, ReadsContentsOfConstants) {
  for (const auto& [contents, want] : kContents) {
    const std::string got = Again(absl::StrCat(
        "vm.module @m version 0\nvm.rodata[0] = ", contents, "\n"));
    EXPECT_EQ(got, absl::StrCat("vm.module @m version 0\nvm.rodata[0] = ", want,
                                "\n"));
  }
}

TEST(Assembler, ReadsFilesOfConstants) {
  const std::string text = "vm.module @m\nvm.rodata[0] = file \"a.bin\"\n";
  EXPECT_EQ(Again(text), "t:2:16: Files cannot be read here.");
  AssemblerOptions options;
  options.read_file =
      [](const std::string& name) -> absl::StatusOr<std::vector<uint8_t>> {
    if (name != "a.bin") return absl::NotFoundError("There is none.");
    return std::vector<uint8_t>(1000, 7);
  };
  const auto bytes = Assemble(text, "t", options);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  std::string stored;
  DisassemblyOptions to;
  to.store = [&](size_t ordinal, std::span<const uint8_t> contents) {
    stored = absl::StrCat(ordinal, ": ", contents.size());
    return absl::StatusOr<std::string>("a.bin");
  };
  const auto dump = Disassemble(*Load(*bytes), to);
  ASSERT_TRUE(dump.ok());
  EXPECT_EQ(*dump,
            "vm.module @m version 0\n"
            "vm.rodata[0] = file \"a.bin\"  // 1000b\n");
  EXPECT_EQ(stored, "0: 1000");
}

TEST(Assembler, NotesItsOwnLines) {
  AssemblerOptions options;
  options.debug_lines = true;
  const auto bytes =
      Assemble("vm.module @m\nvm.func @f() -> () {\n^bb0:\n  vm.return\n}\n",
               "f.vmasm", options);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto module = Load(*bytes);
  const auto places = module->def().FindLocations(0, 1);
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].ToString(), "f.vmasm:4:3");
  EXPECT_EQ(module->def().FunctionName(0), "f");
  // A text with locations keeps them.
  const auto own = Assemble(
      "vm.module @m\n//! loc[0] = \"a.mlir\":1:2\n"
      "vm.func @f() -> () {\n  vm.return  //! loc[0]\n}\n",
      "f.vmasm", options);
  ASSERT_TRUE(own.ok()) << own.status();
  EXPECT_EQ(Load(*own)->def().FindLocations(0, 1)[0].ToString(), "a.mlir:1:2");
  EXPECT_TRUE(Load(*own)->def().FindLocations(0, 0).empty());
}

TEST(Disassembler, PrintsOneFunction) {
  const auto bytes = Assemble(
      "vm.module @m\nvm.export @g = @f\n"
      "vm.func @e() -> () {\n  vm.return\n}\n"
      "vm.func @f() -> () {\n  vm.return\n}\n",
      "t");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto module = Load(*bytes);
  DisassemblyOptions options;
  options.offsets = true;
  for (const char* name : {"g", "1"}) {
    options.function = name;
    const auto dump = Disassemble(*module, options);
    ASSERT_TRUE(dump.ok()) << dump.status();
    EXPECT_EQ(*dump,
              "vm.module @m version 0\n\nvm.export @g\n"
              "vm.func @g() -> () {\n[00000000]^bb0:\n"
              "[00000001]  vm.return\n}\n");
  }
  options.function = "no_such";
  EXPECT_EQ(Disassemble(*module, options).status().message(),
            "The module has no function 'no_such'.");
  options.function = "gg";
  EXPECT_EQ(Disassemble(*module, options).status().message(),
            "The module has no function 'gg'. Did you mean 'g'?");
}

// Repeated or misleading names are made unique.
TEST(Disassembler, NamesFunctionsApart) {
  const std::string text =
      "vm.module @m version 0\n"
      "vm.import @n.x cconv \"0v_v\"\n"
      "vm.import @n.x cconv \"0i_v\"\n"
      "vm.func @a() -> () {\n"
      "  vm.call @b()\n"
      "  vm.call @n.x()\n"
      "  %i0 = vm.const.i32.zero\n"
      "  vm.call @import[1](%i0)\n"
      "  vm.return\n"
      "}\n"
      "//! func.name \"fn0\"\n"
      "vm.func @b() -> () {\n  vm.return\n}\n"
      "//! func.name \"fn0\"\n"
      "vm.func @c() -> () {\n  vm.call @m:2()\n  vm.return\n}\n"
      "//! func.name \"m.d\"\n"
      "vm.func @d() -> () {\n  vm.call @d()\n  vm.return\n}\n";
  const std::string dump = Again(text);
  for (const char* want :
       {"vm.func @fn0() ", "vm.func @fn0$1() ", "vm.func @fn0$2() ",
        "vm.call @fn0$1()", "vm.call @import[1](%i0)", "vm.call @m:3()"}) {
    EXPECT_TRUE(absl::StrContains(dump, want)) << want << "\n" << dump;
  }
  EXPECT_EQ(Again(dump), dump);
}

// Stored names are those of the debug database, as they are. Returns
// the names in the text.
std::string StoredNames(absl::string_view which) {
  const auto note = [&](size_t function) {
    return which[function] == 'y' ? "//! func.name \"x\"\n" : "";
  };
  const auto file =
      Assemble(absl::StrCat("vm.module @m version 0\n", note(0),
                            "vm.func @a() -> () {\n"
                            "  vm.call @b()\n  vm.call @m:2()\n  vm.return\n}\n"
                            "vm.export @b\n",
                            note(1), "vm.func @b() -> () {\n  vm.return\n}\n",
                            note(2), "vm.func @c() -> () {\n  vm.return\n}\n"),
               "t");
  if (!file.ok()) return file.status().ToString();
  DisassemblyOptions options;
  options.text = AssemblyText::kPublic;
  const auto module = Load(*file);
  std::string names;
  for (const absl::string_view line :
       absl::StrSplit(*Disassemble(*module, options), '\n')) {
    if (!absl::StrContains(line, '@')) continue;
    const absl::string_view name = line.substr(line.find('@'));
    absl::StrAppend(&names, name.substr(0, name.find('(')), " ");
  }
  return names;
}

TEST(Disassembler, PrintsStoredNames) {
  const struct {
    const char* names;  // y for each function with the debug name x
    const char* want;
  } kCases[] = {
      {"nnn", "@m version 0 @fn0 @m:1 @m:2 @b @b @fn2 "},
      {"ynn", "@m version 0 @x @m:1 @m:2 @b @b @fn2 "},
      {"yyy", "@m version 0 @x @m.x @m.x @b @b @x "},
  };
  for (const auto& c : kCases) EXPECT_EQ(StoredNames(c.names), c.want);
}

// The public tool quotes nothing; control characters must not reach a terminal.
TEST(Disassembler, QuotesNamesOnlyInTextToAssemble) {
  const auto file = Assemble(
      "vm.module @\"m 1\" version 0\n"
      "vm.import @\"n 1.f\" cconv \"0v_v\"\n"
      "vm.export @\"a b\" = @\"c%\"\nvm.export @\"c%\"\n"
      "vm.export @e\"e\\x1B\" = @\"c%\"\n"
      "vm.func @\"c%\"() -> () {\n"
      "  vm.call @\"n 1.f\"()\n  vm.call @\"c%\"()\n  vm.return\n}\n",
      "t");
  ASSERT_TRUE(file.ok()) << file.status();
  DisassemblyOptions options;
  options.text = AssemblyText::kPublic;
  const auto module = Load(*file);
  EXPECT_EQ(*Disassemble(*module, options),
            "vm.module @m 1 version 0\nvm.import @n 1.f cconv \"0v_v\"\n\n"
            "vm.export @a b\nvm.export @c% = @a b\n"
            "vm.export @e\"e\\x1b\" = @a b\nvm.func @a b() -> () {\n^bb0:\n"
            "  vm.call @n 1.f()\n  vm.call @m 1:0()\n  vm.return\n}\n");
  EXPECT_EQ(*Assemble(*Disassemble(*module, {}), "t"), *file);
}

}  // namespace
}  // namespace eyrie::vm
