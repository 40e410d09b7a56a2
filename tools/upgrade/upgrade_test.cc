// Rewrites the fixtures of several releases for others, and checks what they
// declare. upgrade_test.txt and //tests/conformance:upgrade_test run them.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/zip.h"
#include "tests/support/files.h"
#include "tools/upgrade/rewrite.h"
#include "tools/upgrade/shims.h"
#include "vm/asm/assembler.h"
#include "vm/isa/release.h"
#include "vm/isa/version.h"
#include "vm/module/verifier.h"

namespace eyrie::tools {
namespace {

using Module = std::shared_ptr<const vm::VerifiedModule>;

Module Load(absl::string_view file) {
  auto module = vm::LoadModule(absl::StrCat("tests/modules/", file));
  EXPECT_TRUE(module.ok()) << module.status().message();
  return module.ok() ? *std::move(module) : nullptr;
}

// Returns null after a test failure.
Module Rewrite(const Module& module, int release) {
  if (module == nullptr) return nullptr;
  const auto bytes = RewriteModule(*module, release);
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  if (!bytes.ok()) return nullptr;
  auto rewritten = vm::LoadModule(*bytes, "rewritten");
  EXPECT_TRUE(rewritten.ok()) << rewritten.status().message();
  return rewritten.ok() ? *std::move(rewritten) : nullptr;
}

// Returns the imports, exports and signatures, which do not depend on code.
std::string Interface(const vm::ModuleDef& def, bool with_imports) {
  std::string text = absl::StrCat(def.name, " ", def.bytecode_major, " ",
                                  vm::FeaturesToString(def.requirements), "\n");
  for (const vm::ImportDef& import : def.imports) {
    if (!with_imports) break;
    absl::StrAppend(&text, import.full_name, " ", import.calling_convention,
                    "\n");
  }
  for (const vm::ExportDef& entry : def.exports) {
    const vm::FunctionDef& function = def.functions[entry.function];
    absl::StrAppend(&text, entry.name, " ", function.calling_convention);
    for (const vm::Attribute& attribute : function.attributes) {
      absl::StrAppend(&text, " ", attribute.key, "=", attribute.value);
    }
    absl::StrAppend(&text, "\n");
  }
  for (const vm::RodataDef& rodata : def.rodata) {
    absl::StrAppend(&text, rodata.member_name, rodata.external, "\n");
  }
  return text;
}

const char* const kFiles[] = {"20231004/archive.vmfb",
                              "20231004/archive.vmvx.vmfb",
                              "20231004/archive.async.vmfb",
                              "20240410/archive.vmfb",
                              "2.9/archive.vmfb",
                              "3.3/add.vmfb",
                              "3.3/add.bare-debug.vmfb",
                              "3.3/counter.async.vmfb",
                              "3.3/archive.vmvx-ukernels.vmfb",
                              "3.3/vm_control.vmfb",
                              "3.3/archive.inline-dynamic.vmfb",
                              "3.3/parameters.vmfb",
                              "3.9/add.vmfb",
                              "3.10/archive.vmfb",
                              "3.11/two_devices.two-async.vmfb",
                              "3.12/fences.vmfb",
                              "3.13/vm_yield.vmfb",
                              "3.13/constants.async.vmfb",
                              "3.13/archive.inline-static.vmfb"};

TEST(UpgradeTest, ImportsOnlyWhatTheReleaseHas) {
  for (const char* const file : kFiles) {
    const Module module = Load(file);
    for (const int release : {4, 9, 10, 11, 12, 13}) {
      SCOPED_TRACE(absl::StrCat(file, " to ", vm::ReleaseName(release)));
      if (release < 5 && absl::StrContains(file, "two_devices")) continue;
      const Module rewritten = Rewrite(module, release);
      if (rewritten == nullptr) continue;
      const vm::ModuleDef& def = rewritten->def();
      EXPECT_EQ(def.bytecode_version, vm::BytecodeVersionOf(release));
      for (const vm::ImportDef& import : def.imports) {
        EXPECT_TRUE(
            HasImport(release, import.full_name, import.calling_convention))
            << import.full_name << " " << import.calling_convention;
      }
      for (const vm::DependencyDef& dependency : def.dependencies) {
        EXPECT_LE(dependency.minimum_version,
                  ModuleVersionOf(dependency.name, release));
      }
    }
  }
}

TEST(UpgradeTest, ComesBack) {
  const struct {
    const char* file;
    int from;
    int to;
    bool imports;  // all of them come back
  } kRows[] = {{"3.3/counter.async.vmfb", 3, 13, true},
               {"3.3/archive.vmvx.vmfb", 3, 13, true},
               {"3.9/add.vmfb", 9, 11, true},
               {"3.11/two_devices.two.vmfb", 11, 12, true},
               {"3.12/fences.vmfb", 12, 13, true},
               // The lookups of kernels by name do not.
               {"3.13/add.vmfb", 13, 11, false}};
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.file);
    const Module module = Rewrite(Load(row.file), row.from);
    const Module back = Rewrite(Rewrite(module, row.to), row.from);
    ASSERT_NE(back, nullptr);
    EXPECT_EQ(Interface(back->def(), row.imports),
              Interface(module->def(), row.imports));
  }
}

TEST(UpgradeTest, NamesWhatCannotBeExpressed) {
  const struct {
    const char* file;
    int release;
    const char* want;
  } kRows[] = {
      {"3.13/add.vmfb", vm::k20230209, "bytecode 13 can be read"},
      {"3.13/two_devices.two.vmfb", 3, "hal.allocator.select (0iiICrID_rI)"},
      {"3.13/casts.vmfb", vm::k20240410, "hal.command_buffer.dispatch"},
      {"20231004/archive.vulkan.vmfb", 13, "format 'vulkan-spirv-fb'"},
      {"3.13/vm_f32.vmfb", vm::k20230404, "vm."},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.file);
    const Module module = Load(row.file);
    ASSERT_NE(module, nullptr);
    const auto bytes = RewriteModule(*module, row.release);
    EXPECT_EQ(bytes.status().code(), absl::StatusCode::kUnimplemented);
    EXPECT_TRUE(absl::StrContains(bytes.status().message(), row.want))
        << bytes.status().message();
  }
}

TEST(UpgradeTest, LimitsPushedConstants) {
  const struct {
    const char* first;
    const char* want;
  } kRows[] = {
      {"0", "OK"},
      {"62", "OK"},
      {"63", "it pushes constant 64; the limit is 64."},
      {"-1", "it pushes constant -1; the limit is 64."},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.first);
    const auto bytes = vm::Assemble(
        absl::StrCat(R"(vm.module @t version 0
vm.type !hal.command_buffer
vm.type !hal.pipeline_layout
vm.import @hal.command_buffer.push_constants cconv "0rriCiD_v"
vm.export @f
vm.func @f(%r0: !hal.command_buffer, %r1: !hal.pipeline_layout) -> () {
^bb0:
  %i0 = vm.const.i32 )",
                     row.first,
                     R"(
  vm.call.variadic @hal.command_buffer.push_constants segments[)"
                     R"(65535, 65535, 65535, 2](%r0, %r1, %i0, %i0, %i0)
  vm.return
}
)"),
        "push.vmasm");
    ASSERT_TRUE(bytes.ok()) << bytes.status().message();
    const auto module = vm::LoadModule(*bytes, "push.vmfb");
    ASSERT_TRUE(module.ok()) << module.status().message();
    const absl::Status status = RewriteModule(**module, 13).status();
    EXPECT_TRUE(absl::StrContains(status.ToString(), row.want)) << status;
  }
}

// Members that another program has added stay.
TEST(UpgradeTest, KeepsNotes) {
  const auto bytes = FileBytes("tests/modules/3.12/archive.vmfb");
  ZipWriter writer(bytes, *ReadZip(bytes, "The module"));
  writer.Add("note.json", "{}", /*alignment=*/1);
  std::vector<uint8_t> file(bytes.begin(), bytes.begin() + writer.begin());
  const std::string rest = writer.Finish();
  file.insert(file.end(), rest.begin(), rest.end());
  const auto module = vm::LoadModule(file, "noted");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const Module rewritten = Rewrite(*module, 9);
  ASSERT_NE(rewritten, nullptr);
  const ZipMember& last = rewritten->def().archive().members().back();
  EXPECT_EQ(last.name, "note.json");
  EXPECT_EQ(std::string(last.packed.begin(), last.packed.end()), "{}");
}

}  // namespace
}  // namespace eyrie::tools
