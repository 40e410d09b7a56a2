// Tests of decoding a module's FlatBuffer, and of its debug database.
#include "vm/module/module_def.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"

namespace eyrie::vm {
namespace {

using tests::ModuleBuilder;
using Location = ModuleBuilder::Location;
using Bytes = std::vector<uint8_t>;

absl::StatusOr<ModuleDef> Decode(const Bytes& file) {
  auto archive = Archive::Copy(file, "x.vmfb");
  if (!archive.ok()) return archive.status();
  return ModuleDef::Decode(*std::move(archive));
}

ModuleBuilder Full() {
  ModuleBuilder module;
  module.name = "model";
  module.version = 3;
  module.attributes = {{"author", "someone"}, {"empty", ""}};
  module.dependencies = {{"hal", 6, false}, {"extra", 0, true}};
  module.AddImport("hal.buffer.length", "0r_I");
  module.AddImport("extra.thing", "0CiD_v", /*optional=*/true);
  module.AddFunction("first", "0i_i", "entry: return [i0]").attributes = {
      {"iree.abi.declaration", "sync func @first"}};
  module.AddFunction("second", "0v_v", "entry: return []").exported = false;
  module.extra_exports = {{"alias", 0}};
  module.AddRodata({1, 2, 3});
  module.AddRodata({4, 5}, /*external=*/true);
  module.AddRodata({});
  return module;
}

TEST(ModuleDef, FindsExports) {
  for (const int count : {1, 16, 17, 1000}) {
    ModuleBuilder module;
    for (int i = 0; i < count; ++i) {
      module.AddFunction(absl::StrCat("f", i), "0v_v", "entry: return []");
    }
    module.extra_exports = {{"f0", count - 1}, {"e", 0}, {"g", 0}};
    const auto def = Decode(module.Build());
    ASSERT_TRUE(def.ok()) << def.status();
    for (int i = 0; i < count; ++i) {
      const ExportDef* const found = def->FindExport(absl::StrCat("f", i));
      ASSERT_NE(found, nullptr) << i;
      EXPECT_EQ(found->function, static_cast<uint32_t>(i));
    }
    EXPECT_NE(def->FindExport("e"), nullptr);
    EXPECT_NE(def->FindExport("g"), nullptr);
    for (const char* name : {"", "f", "f00", "h", "a"}) {
      EXPECT_EQ(def->FindExport(name), nullptr) << name;
    }
  }
}

TEST(ModuleDef, DecodesEverything) {
  for (bool zip : {false, true}) {
    auto def = Decode(zip ? Full().BuildZip() : Full().Build());
    ASSERT_TRUE(def.ok()) << def.status();
    EXPECT_EQ(def->name, "model");
    EXPECT_EQ(def->version, 3u);
    EXPECT_EQ(def->requirements, 3u);
    EXPECT_EQ(def->bytecode_major, 17);
    EXPECT_EQ(def->bytecode_minor, 0);
    EXPECT_TRUE(def->bytecode_version->operand_moves);
    EXPECT_EQ(FindAttribute(def->attributes, "author"), "someone");
    EXPECT_EQ(FindAttribute(def->attributes, "none"), std::nullopt);
    EXPECT_EQ(absl::StrJoin(def->types, " "), "i32 i64 !vm.buffer !vm.list");
    ASSERT_EQ(def->dependencies.size(), 2u);
    EXPECT_EQ(def->dependencies[0].name, "hal");
    EXPECT_EQ(def->dependencies[0].minimum_version, 6u);
    EXPECT_FALSE(def->dependencies[0].optional);
    EXPECT_TRUE(def->dependencies[1].optional);
    ASSERT_EQ(def->imports.size(), 2u);
    EXPECT_EQ(def->imports[0].module_name(), "hal");
    EXPECT_EQ(def->imports[0].local_name(), "buffer.length");
    EXPECT_EQ(def->imports[0].calling_convention, "0r_I");
    EXPECT_FALSE(def->imports[0].optional);
    EXPECT_TRUE(def->imports[1].optional);
    ASSERT_EQ(def->exports.size(), 2u);
    EXPECT_EQ(def->FindExport("alias")->function, 0u);
    EXPECT_EQ(def->FindExport("second"), nullptr);
    ASSERT_EQ(def->functions.size(), 2u);
    EXPECT_EQ(def->functions[0].attributes[0].value, "sync func @first");
    EXPECT_EQ(def->functions[0].block_count, 1);
    EXPECT_EQ(def->functions[1].bytecode_offset, 8u);
    EXPECT_EQ(def->functions[1].bytecode.size(), 4u);
    EXPECT_EQ(def->global_bytes, 64u);
    EXPECT_EQ(def->global_refs, 4u);
    ASSERT_EQ(def->rodata.size(), 3u);
    EXPECT_FALSE(def->rodata[0].external);
    EXPECT_EQ(def->rodata[0].bytes[2], 3);
    const uint8_t* file = def->archive().bytes().data();
    EXPECT_EQ(file[def->rodata[0].file_offset], 1);
    EXPECT_TRUE(def->rodata[1].external);
    EXPECT_EQ(file[def->rodata[1].file_offset], 4);
    EXPECT_EQ(def->rodata[1].bytes.data(), file + def->rodata[1].file_offset);
    EXPECT_EQ(def->rodata[1].member_name, zip ? "rodata_1.bin" : "");
    EXPECT_TRUE(def->rodata[2].bytes.empty());
  }
}

TEST(ModuleDef, KeepsItsBytes) {
  ModuleDef def;
  {
    auto decoded = Decode(Full().Build());
    ASSERT_TRUE(decoded.ok());
    def = *decoded;
  }
  EXPECT_EQ(def.name, "model");
  EXPECT_EQ(def.functions[0].bytecode[0], 0x79);
}

TEST(ModuleDef, RefusesWrongModules) {
  struct Case {
    std::function<void(ModuleBuilder&)> change;
    const char* want;
  };
  const Case kCases[] = {
      {[](auto& m) { m.bytecode_version = 18u << 16; },
       "UNIMPLEMENTED: The module's bytecode version is 18.0; known are 13.0 "
       "(20230209 to 20230228), 15.0 (20230404 to 3.9), 16.0 (3.10), 17.0 "
       "(3.11 to 3.13)."},
      {[](auto& m) { m.requirements = 0x103; },
       "UNIMPLEMENTED: The module requires the features EXT_F32 | EXT_F64 | "
       "0x100; known are EXT_F32 | EXT_F64 | YIELD | UNWIND."},
      {[](auto& m) { m.functions[1].requirements = 0x10; },
       "UNIMPLEMENTED: Function 1 requires the features 0x10; known are "
       "EXT_F32 | EXT_F64 | YIELD | UNWIND."},
      {[](auto& m) { m.name = ""; },
       "INVALID_ARGUMENT: The module has no name."},
      {[](auto& m) { m.types[1] = ""; },
       "INVALID_ARGUMENT: The module's type 1 has no name."},
      {[](auto& m) { m.dependencies[0].name = ""; },
       "INVALID_ARGUMENT: The module's dependency 0 has no name."},
      {[](auto& m) { m.imports[1].full_name = ""; },
       "INVALID_ARGUMENT: The module's import 1 has no name."},
      {[](auto& m) { m.imports[1].full_name = "thing"; },
       "INVALID_ARGUMENT: Import 1, thing, does not name its module."},
      {[](auto& m) { m.functions[0].name = ""; },
       "INVALID_ARGUMENT: The module's export 0 has no name."},
      {[](auto& m) { m.extra_exports[0].second = 2; },
       "OUT_OF_RANGE: Export alias is function 2; the module has 2."},
      {[](auto& m) { m.extra_exports[0].second = -1; },
       "OUT_OF_RANGE: Export alias is function -1; the module has 2."},
      {[](auto& m) { m.functions[1].bytecode_offset = 10; },
       "OUT_OF_RANGE: Function 1 has its bytecode at 10, of 4 bytes; the "
       "module has 12 bytes."},
      {[](auto& m) { m.functions[1].bytecode_offset = -8; },
       "OUT_OF_RANGE: Function 1 has its bytecode at -8, of 4 bytes; the "
       "module has 12 bytes."},
      {[](auto& m) { m.functions[1].bytecode_length = 0; },
       "OUT_OF_RANGE: Function 1 has its bytecode at 8, of 0 bytes; the "
       "module has 12 bytes."},
      {[](auto& m) { m.functions[1].bytecode_length = -5; },
       "OUT_OF_RANGE: Function 1 has its bytecode at 8, of -5 bytes; the "
       "module has 12 bytes."},
      {[](auto& m) { m.functions[1].bytecode_offset = 3; },
       "INVALID_ARGUMENT: Function 1 has its bytecode at 3, an odd offset."},
      {[](auto& m) {
         m.functions[1].bytecode_offset = 0;
         m.functions[1].bytecode_length = 8;
       },
       "UNIMPLEMENTED: Function 1 shares its bytecode with others: together "
       "the functions have more than the module's 12 bytes."},
      {[](auto& m) { m.functions[0].ref_registers = 0x4000; },
       "OUT_OF_RANGE: Function 0 has 16 i32 and 16384 ref registers; the "
       "limits are 32767 and 16383."},
      {[](auto& m) { m.functions[0].i32_registers = 0x8000; },
       "OUT_OF_RANGE: Function 0 has 32768 i32 and 8 ref registers; the limits "
       "are 32767 and 16383."},
      {[](auto& m) { m.rodata[0].compression = 9; },
       "UNIMPLEMENTED: Constant 0 is compressed with method 9, which is not "
       "supported."},
      {[](auto& m) { m.rodata[0].compression = 1; }, "OK"},
      {[](auto& m) { m.global_bytes = -1; },
       "INVALID_ARGUMENT: The module has -1 bytes and 4 refs of globals."},
      {[](auto& m) { m.global_refs = 1 << 25; },
       "RESOURCE_EXHAUSTED: The module has 64 bytes and 33554432 refs of "
       "globals; the limits are 268435456 and 16777216."},
  };
  for (const Case& c : kCases) {
    ModuleBuilder module = Full();
    c.change(module);
    absl::Status status = Decode(module.Build()).status();
    std::string want = c.want;
    if (!status.ok()) want += " (in x.vmfb)";
    EXPECT_EQ(status.ToString(), want);
  }
}

TEST(ModuleDef, RefusesSharedConventions) {
  ModuleBuilder module;
  module.share_conventions = true;
  std::string convention = absl::StrCat("0", std::string(3000, 'i'), "_v");
  for (int i = 0; i < 40; ++i) {
    module.AddFunction("f", convention, "entry: return []").i32_registers =
        3000;
  }
  absl::Status status = Decode(module.Build()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
}

TEST(ModuleDef, RefusesConstantsPastTheEnd) {
  Bytes file = Full().Build();
  file.pop_back();
  EXPECT_EQ(Decode(file).status().code(), absl::StatusCode::kOutOfRange);
}

TEST(ModuleDef, RefusesADamagedFlatBuffer) {
  Bytes file = Full().Build();
  file[4] = 0xFF;  // offset of the root
  file[5] = 0xFF;
  EXPECT_EQ(Decode(file).status().ToString(),
            "INVALID_ARGUMENT: The module's FlatBuffer is damaged: an offset "
            "or a size in it points outside of it. (in x.vmfb)");
}

std::string Locate(const ModuleBuilder& module, uint32_t function,
                   uint32_t offset = 1) {
  auto def = Decode(module.Build());
  if (!def.ok()) return def.status().ToString();
  std::vector<std::string> texts;
  for (const SourceLocation& l : def->FindLocations(function, offset)) {
    texts.push_back(l.ToString());
  }
  return absl::StrCat(def->FunctionName(function), ": ",
                      absl::StrJoin(texts, ", "));
}

TEST(ModuleDef, FindsLocations) {
  struct Case {
    std::vector<Location> table;  // function 0 is at the first entry
    const char* want;
  };
  const Case kCases[] = {
      {{}, "first: test.mlir:1:1"},
      {{{Location::kFile, "a.mlir", 7, 3}}, "first: a.mlir:7:3"},
      {{{Location::kNamed, "conv", 1}, {Location::kFile, "a.mlir", 7, 3}},
       "first: conv (a.mlir:7:3)"},
      {{{Location::kNamed, "conv", -1}}, "first: conv (?)"},
      {{{Location::kCallSite, "", 1, 2},
        {Location::kFile, "in.mlir", 1, 2},
        {Location::kFile, "out.mlir", 3, 4}},
       "first: in.mlir:1:2, out.mlir:3:4"},
      {{{Location::kFused, "", 9, 1}, {Location::kFile, "a.mlir", 7, 3}},
       "first: a.mlir:7:3"},
      {{{Location::kCallSite, "", 0, 0}}, "first: "},  // a cycle
      {{{Location::kNamed, "x", 0}}, "first: x (?)"},
      {{{Location::kNone, ""}}, "first: "},
      {{{Location::kUnknown, ""}}, "first: "},
  };
  for (const Case& c : kCases) {
    ModuleBuilder module = Full();
    module.locations = c.table;
    EXPECT_EQ(Locate(module, 0), c.want);
  }
}

TEST(ModuleDef, NamesFunctions) {
  ModuleBuilder module = Full();
  EXPECT_EQ(Locate(module, 1), "second: test.mlir:2:1");
  EXPECT_EQ(Locate(module, 7), "@7: ");
  // Only the last function has a source map.
  module.one_source_map = true;
  EXPECT_EQ(Locate(module, 0), "first: ");
  EXPECT_EQ(Locate(module, 1), "second: test.mlir:2:1");
  // Without debug information.
  module.debug_database = false;
  EXPECT_EQ(Locate(module, 0), "first: ");
  EXPECT_EQ(Locate(module, 1), "@1: ");
}

}  // namespace
}  // namespace eyrie::vm
