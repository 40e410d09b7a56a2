// Tests descriptions of the fixtures' executables, by format and release.
#include "abi/call/describe_executable.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "vm/module/archive.h"
#include "vm/module/module_def.h"

namespace eyrie::abi {
namespace {

// Returns the largest constant of a fixture, which is its executable.
std::vector<uint8_t> ExecutableOf(absl::string_view path) {
  const auto archive = vm::Archive::Open(absl::StrCat("tests/modules/", path));
  EXPECT_TRUE(archive.ok()) << path;
  const auto def = vm::ModuleDef::Decode(*archive);
  std::span<const uint8_t> largest;
  for (const vm::RodataDef& rodata : def->rodata) {
    if (rodata.bytes.size() > largest.size()) largest = rodata.bytes;
  }
  return {largest.begin(), largest.end()};
}

// Returns "add_dispatch_0_... 3/0" for each kernel: its bindings and constants.
std::string Describe(absl::string_view format,
                     const std::vector<uint8_t>& data) {
  const auto facts = DescribeExecutable(format, data);
  if (!facts.ok()) return std::string(facts.status().message());
  EXPECT_EQ(facts->lacks, "");
  return absl::StrJoin(
      facts->kernels, " ", [](std::string* out, const auto& kernel) {
        absl::StrAppend(out, kernel.name, " ", kernel.binding_count.value(),
                        "/", kernel.constant_count.value());
      });
}

TEST(DescribeExecutable, ReadsEveryReleasesLibraries) {
  const struct {
    const char* path;
    const char* format;
    const char* want;
  } kCases[] = {
      {"3.3/add.vmfb", "embedded-elf-x86_64", " 3/0"},
      {"3.9/add.vmfb", "embedded-elf-x86_64", " 3/0"},
      {"3.11/add.vmfb", "embedded-elf-x86_64", " 3/0"},
      {"3.12/add.vmfb", "embedded-elf-x86_64",
       "add_dispatch_0_elementwise_4_f32 3/0"},
      {"3.13/add.vmfb", "embedded-elf-x86_64",
       "add_dispatch_0_elementwise_4_f32 3/0"},
      {"3.13/add.vulkan.vmfb", "vulkan-spirv-fb",
       "add_dispatch_0_elementwise_4_f32 3/0"},
      {"3.3/add.vulkan.vmfb", "vulkan-spirv-fb",
       "add_dispatch_0_elementwise_4_f32 3/0"},
      {"3.13/add.vulkan-bda.vmfb", "vulkan-spirv-bda-v1",
       "add_dispatch_0_elementwise_4_f32 3/0"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Describe(c.format, ExecutableOf(c.path)), c.want) << c.path;
  }
}

TEST(DescribeExecutable, ReadsBytecode) {
  const std::string text = Describe(
      "vmvx-bytecode-fb", ExecutableOf("3.13/elementwise_int.vmvx.vmfb"));
  EXPECT_NE(text.find("_dispatch_0"), text.npos) << text;
}

TEST(DescribeExecutable, SaysWhatItCannotRead) {
  const std::vector<uint8_t> elf = ExecutableOf("3.13/add.vmfb");
  EXPECT_EQ(Describe("cuda-nvptx-fb", elf),
            "Executables of the format 'cuda-nvptx-fb' are not known.");
  EXPECT_EQ(Describe("", elf), "Executables of the format '' are not known.");
  for (const char* format :
       {"embedded-elf-x86_64", "embedded-elf-arm_64", "system-elf-x86_64",
        "vmvx-bytecode-fb", "vulkan-spirv-fb", "vulkan-spirv-bda-v1"}) {
    EXPECT_FALSE(DescribeExecutable(format, {}).ok()) << format;
    std::vector<uint8_t> text(1000, 'x');
    EXPECT_FALSE(DescribeExecutable(format, text).ok()) << format;
  }
}

// Damaged bytes give an error or a different description, but do no harm.
TEST(DescribeExecutable, SurvivesDamage) {
  for (const char* path : {"3.3/add.vmfb", "3.13/add.vmfb"}) {
    const std::vector<uint8_t> elf = ExecutableOf(path);
    for (size_t i = 0; i < elf.size(); i += 3) {
      std::vector<uint8_t> damaged = elf;
      damaged[i] ^= 0xFF;
      (void)DescribeExecutable("embedded-elf-x86_64", damaged);
      damaged.resize(i);
      (void)DescribeExecutable("embedded-elf-x86_64", damaged);
    }
  }
}

}  // namespace
}  // namespace eyrie::abi
