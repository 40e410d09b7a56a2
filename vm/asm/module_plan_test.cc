// Writes module files from plans and reads them again.
#include "vm/asm/module_plan.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "vm/module/archive.h"
#include "vm/module/module_def.h"

namespace eyrie::vm {
namespace {

ModulePlan SmallPlan() {
  ModulePlan plan;
  plan.name = "small";
  plan.version = 4;
  plan.attributes = {{"key", "value"}, {"empty", ""}};
  plan.types = {"i32", "!vm.buffer"};
  plan.dependencies = {{"hal", 6, false}, {"extra", 0, true}};
  plan.imports = {{"hal.first", "0i_i", false, {{"a", "b"}}},
                  {"extra.second", "0v_v", true, {}}};
  ModulePlan::Function function;
  function.convention = "0v_v";
  function.attributes = {{"iree.abi.declaration", "f()"}};
  function.code = {0x79, 0x5A, 0x00, 0x00};
  function.blocks = 1;
  function.i32_registers = 3;
  function.ref_registers = 2;
  plan.functions = {function, function};
  plan.exports = {{"f", 0}, {"g", 1}, {"f_again", 0}};
  plan.rodata = {{{1, 2, 3}, false, "", 0}, {{}, false, "", 0}};
  plan.global_bytes = 12;
  plan.global_refs = 1;
  return plan;
}

ModuleDef Read(const ModulePlan& plan) {
  const auto bytes = WriteModule(plan);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  auto archive = Archive::Copy(*bytes, "plan");
  EXPECT_TRUE(archive.ok()) << archive.status();
  auto def = ModuleDef::Decode(*std::move(archive));
  EXPECT_TRUE(def.ok()) << def.status();
  return *std::move(def);
}

TEST(ModulePlan, IsReadAsItWasMeant) {
  for (const bool zip : {false, true}) {
    ModulePlan plan = SmallPlan();
    plan.zip = zip;
    const ModuleDef def = Read(plan);
    EXPECT_EQ(def.archive().is_zip(), zip);
    EXPECT_EQ(def.name, "small");
    EXPECT_EQ(def.version, 4u);
    EXPECT_EQ(def.bytecode_major, 17);
    ASSERT_EQ(def.attributes.size(), 2u);
    EXPECT_EQ(def.attributes[1].key, "empty");
    EXPECT_EQ(def.types.size(), 2u);
    ASSERT_EQ(def.dependencies.size(), 2u);
    EXPECT_EQ(def.dependencies[0].minimum_version, 6u);
    EXPECT_TRUE(def.dependencies[1].optional);
    ASSERT_EQ(def.imports.size(), 2u);
    EXPECT_EQ(def.imports[0].attributes.size(), 1u);
    EXPECT_TRUE(def.imports[1].optional);
    ASSERT_EQ(def.functions.size(), 2u);
    EXPECT_EQ(def.functions[1].bytecode.size(), 4u);
    EXPECT_EQ(def.functions[1].bytecode_offset % 8, 0u);
    EXPECT_EQ(def.functions[0].i32_register_count, 3);
    EXPECT_EQ(def.exports.size(), 3u);
    ASSERT_EQ(def.rodata.size(), 2u);
    EXPECT_EQ(def.rodata[0].bytes.size(), 3u);
    EXPECT_FALSE(def.rodata[1].external);
    EXPECT_EQ(def.global_bytes, 12u);
    EXPECT_FALSE(def.has_debug_database());
  }
}

TEST(ModulePlan, EqualPlansGiveEqualBytes) {
  const auto once = WriteModule(SmallPlan());
  const auto again = WriteModule(SmallPlan());
  ASSERT_TRUE(once.ok() && again.ok());
  EXPECT_EQ(*once, *again);
}

TEST(ModulePlan, ExternalConstantsAreAligned) {
  for (const bool zip : {false, true}) {
    for (const uint32_t alignment : {0u, 64u, 4096u}) {
      ModulePlan plan = SmallPlan();
      plan.zip = zip;
      for (uint8_t i = 0; i < 5; ++i) {
        plan.rodata.push_back(
            {std::vector<uint8_t>(size_t{40} * i, i), true, "", alignment});
      }
      plan.rodata.back().name = "named.bin";
      const ModuleDef def = Read(plan);
      ASSERT_EQ(def.rodata.size(), plan.rodata.size());
      for (size_t i = 0; i < plan.rodata.size(); ++i) {
        EXPECT_TRUE(std::equal(
            def.rodata[i].bytes.begin(), def.rodata[i].bytes.end(),
            plan.rodata[i].bytes.begin(), plan.rodata[i].bytes.end()))
            << i;
        EXPECT_EQ(def.rodata[i].external, plan.rodata[i].external);
        if (!plan.rodata[i].external || plan.rodata[i].bytes.empty()) continue;
        EXPECT_EQ(def.rodata[i].file_offset % std::max(alignment, 64u), 0u);
        if (zip && i + 1 < plan.rodata.size()) {
          EXPECT_EQ(def.rodata[i].member_name,
                    "rodata_" + std::to_string(i) + ".bin");
        }
      }
      if (zip) {
        EXPECT_EQ(def.rodata.back().member_name, "named.bin");
      }
    }
  }
}

TEST(ModulePlan, KeepsLocations) {
  ModulePlan plan = SmallPlan();
  using Location = ModulePlan::Location;
  plan.locations = {{Location::kNone, "", 0, 0, {}},
                    {Location::kFile, "a.mlir", 3, 4, {}},
                    {Location::kNamed, "n", 1, 0, {}},
                    {Location::kCallSite, "", 2, 1, {}},
                    {Location::kFused, "", 0, 0, {0, 3}}};
  plan.functions[1].debug_name = "inner";
  plan.functions[1].locations = {{0, 1}, {1, 4}};
  const ModuleDef def = Read(plan);
  EXPECT_EQ(def.location_count(), 5u);
  EXPECT_EQ(def.functions[1].debug_name, "inner");
  const auto places = def.FindLocations(1, 1);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].ToString(), "n (a.mlir:3:4)");
  EXPECT_TRUE(def.FindLocations(0, 0).empty());
}

TEST(ModulePlan, RefusesWhatTheFormatCannotHold) {
  ModulePlan registers = SmallPlan();
  registers.functions[0].i32_registers = 0x10000;
  EXPECT_EQ(WriteModule(registers).status().message(),
            "The module has 65536 i32 registers; the limit is 65535.");
  ModulePlan blocks = SmallPlan();
  blocks.functions[0].blocks = 0x10000;
  EXPECT_FALSE(WriteModule(blocks).ok());
  ModulePlan globals = SmallPlan();
  globals.global_bytes = 0x80000000;
  EXPECT_FALSE(WriteModule(globals).ok());
  ModulePlan name = SmallPlan();
  name.rodata[0].name = std::string(0x8000, 'x');
  EXPECT_FALSE(WriteModule(name).ok());
}

}  // namespace
}  // namespace eyrie::vm
