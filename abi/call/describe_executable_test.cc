// Tests descriptions of the fixtures' executables, by format and release.
#include "abi/call/describe_executable.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "abi/call/vendor_executable_generated.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "flatbuffers/flatbuffers.h"
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
            "The executable has no header 'CDA1', which those of release 3.10 "
            "and later have.");
  EXPECT_EQ(Describe("webgpu-wgsl-fb", elf),
            "Executables of the format 'webgpu-wgsl-fb' are not known.");
  EXPECT_EQ(Describe("", elf), "Executables of the format '' are not known.");
  for (const char* format :
       {"embedded-elf-x86_64", "embedded-elf-arm_64", "system-elf-x86_64",
        "vmvx-bytecode-fb", "vulkan-spirv-fb", "vulkan-spirv-bda-v1"}) {
    EXPECT_FALSE(DescribeExecutable(format, {}).ok()) << format;
    std::vector<uint8_t> text(1000, 'x');
    EXPECT_FALSE(DescribeExecutable(format, text).ok()) << format;
  }
}

// Returns an executable of a vendor with these kernels.
std::vector<uint8_t> VendorExecutable(const char* identifier,
                                      const std::vector<std::string>& names) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<vendor::Kernel>> kernels;
  for (const std::string& name : names) {
    kernels.push_back(vendor::CreateKernelDirect(builder, 0, name.c_str()));
  }
  builder.Finish(vendor::CreateExecutableDirect(builder, &kernels), identifier);
  std::vector<uint8_t> bytes(64, 0);
  std::copy_n(identifier, 4, bytes.begin());
  bytes[8] = static_cast<uint8_t>(builder.GetSize());
  bytes[9] = static_cast<uint8_t>(builder.GetSize() >> 8);
  bytes.insert(bytes.end(), builder.GetBufferPointer(),
               builder.GetBufferPointer() + builder.GetSize());
  return bytes;
}

TEST(DescribeExecutable, ReadsVendorsKernels) {
  const struct {
    const char* format;
    const char* identifier;
  } kCases[] = {{"cuda-nvptx-fb", "CDA1"},
                {"rocm-hsaco-fb", "HIP1"},
                {"hip-hsaco-fb", "HIP1"},
                {"metal-msl-fb", "MTL1"}};
  for (const auto& c : kCases) {
    const auto bytes = VendorExecutable(c.identifier, {"first", "second"});
    const auto facts = DescribeExecutable(c.format, bytes);
    ASSERT_TRUE(facts.ok()) << c.format << facts.status();
    ASSERT_EQ(facts->kernels.size(), 2u);
    EXPECT_EQ(facts->kernels[1].name, "second");
    EXPECT_FALSE(facts->kernels[1].binding_count.has_value());
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (const uint8_t change : {0x01, 0x80, 0xFF}) {
        std::vector<uint8_t> damaged = bytes;
        damaged[i] ^= change;
        (void)DescribeExecutable(c.format, damaged);
      }
      EXPECT_FALSE(DescribeExecutable(c.format, {bytes.data(), i}).ok()) << i;
    }
  }
  EXPECT_FALSE(
      DescribeExecutable("cuda-nvptx-fb",
                         VendorExecutable("CDA1", {std::string(5000, 'x')}))
          .ok());
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
