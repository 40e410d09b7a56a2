// Tests which shaders are rejected for a device: by capability, limit and ABI.
#include "hal/vulkan/spirv_check.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/vulkan/executable_builder.h"
#include "hal/vulkan/spirv_text.h"
#include "tests/support/files.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::vulkan {
namespace {

FeatureSet AllFeatures() {
  FeatureSet features;
  for (size_t i = 0; i < kFeatureCount; ++i) {
    features.Set(static_cast<Feature>(i));
  }
  return features;
}

constexpr char kKernel[] =
    "MemoryModel 0 1; EntryPoint 5 1 'main'; ExecutionMode 1 17 8 2 1;";

std::string CheckText(const std::string& text, const DeviceLimits& limits,
                      const FeatureSet& features,
                      uint32_t version = 0x00010300) {
  std::vector<uint32_t> words = AssembleSpirv(text, version);
  absl::StatusOr<SpirvModule> module = ReadSpirv(words);
  if (!module.ok()) return StatusText(module);
  return StatusText(CheckModule(*module, limits, features));
}

TEST(SpirvCheck, Capabilities) {
  const struct {
    int capability;
    std::optional<Feature> feature;  // nullopt: no device has it
    const char* want;                // without the feature
  } kCases[] = {
      {11, Feature::shaderInt64,
       "UNIMPLEMENTED: The shader declares SPIR-V capability Int64 (11); the "
       "device lacks the feature shaderInt64."},
      {67, Feature::kSubgroupClustered,
       "UNIMPLEMENTED: The shader declares SPIR-V capability "
       "GroupNonUniformClustered (67); the device lacks subgroup operations of "
       "the kind Clustered."},
      {5347, Feature::bufferDeviceAddress,
       "UNIMPLEMENTED: The shader declares SPIR-V capability "
       "PhysicalStorageBufferAddresses (5347); the device lacks the feature "
       "bufferDeviceAddress."},
      {6022, Feature::cooperativeMatrix,
       "UNIMPLEMENTED: The shader declares SPIR-V capability "
       "CooperativeMatrixKHR (6022); the device lacks the feature "
       "cooperativeMatrix."},
      {6, std::nullopt,
       "UNIMPLEMENTED: The shader declares SPIR-V capability Kernel (6), which "
       "only OpenCL devices support."},
      {5, std::nullopt,
       "UNIMPLEMENTED: The shader declares SPIR-V capability Linkage (5), "
       "which only OpenCL devices support."},
      {3, std::nullopt,
       "UNIMPLEMENTED: The shader declares SPIR-V capability 3, which is "
       "unknown."},
      {99999, std::nullopt,
       "UNIMPLEMENTED: The shader declares SPIR-V capability 99999, which is "
       "unknown."},
  };
  for (const auto& c : kCases) {
    const std::string text = absl::StrCat(kKernel, "Capability ", c.capability);
    FeatureSet features = AllFeatures();
    EXPECT_EQ(CheckText(text, {}, features), c.feature ? "OK" : c.want);
    if (!c.feature) continue;
    features.Set(*c.feature, false);
    EXPECT_EQ(CheckText(text, {}, features), c.want);
    features = FeatureSet();
    features.Set(*c.feature);
    EXPECT_EQ(CheckText(text, {}, features), "OK");
  }
  EXPECT_EQ(CheckText(absl::StrCat(kKernel, "Capability 1; Capability 0"), {},
                      FeatureSet()),
            "OK");
}

TEST(SpirvCheck, FloatControls) {
  constexpr char kPreserve[] = "Capability 4464";
  const struct {
    std::string text;
    std::optional<Feature> has;
    const char* want;
  } kCases[] = {
      {kPreserve, Feature::kDenormPreserve16, "OK"},
      {kPreserve, Feature::kDenormPreserve64, "OK"},
      {kPreserve, Feature::kDenormFlushToZero16,
       "UNIMPLEMENTED: The shader declares SPIR-V capability DenormPreserve "
       "(4464), which the device does not support for any float width."},
      {"Capability 4468", Feature::kRoundingModeRTZ32, "OK"},
      {"Capability 4468", std::nullopt,
       "UNIMPLEMENTED: The shader declares SPIR-V capability RoundingModeRTZ "
       "(4468), which the device does not support for any float width."},
      {"ExecutionMode 1 4459 32", Feature::kDenormPreserve32, "OK"},
      {"ExecutionMode 1 4459 32", Feature::kDenormPreserve16,
       "UNIMPLEMENTED: The shader requires DenormPreserve of floats of 32 "
       "bits; the device lacks the property shaderDenormPreserveFloat32."},
      {"ExecutionMode 1 4463 64", Feature::kRoundingModeRTZ64, "OK"},
      {"ExecutionMode 1 4461 64", std::nullopt,
       "UNIMPLEMENTED: The shader requires SignedZeroInfNanPreserve of floats "
       "of 64 bits; the device lacks the property "
       "shaderSignedZeroInfNanPreserveFloat64."},
      {"ExecutionMode 1 4462 8", Feature::kRoundingModeRTE16,
       "UNIMPLEMENTED: The shader has the execution mode 4462 for floats of 8 "
       "bits, which is unknown."},
      {"ExecutionMode 1 4462", std::nullopt,
       "INVALID_ARGUMENT: The shader's OpExecutionMode at word 19 has 3 words; "
       "the least is 4."},
  };
  for (const auto& c : kCases) {
    FeatureSet features;
    if (c.has) features.Set(*c.has);
    EXPECT_EQ(CheckText(absl::StrCat(kKernel, c.text), {}, features), c.want);
  }
}

// Every feature has Vulkan's name, and every row is used.
TEST(SpirvCheck, FeatureNames) {
  for (size_t i = 0; i < kFeatureCount; ++i) {
    const std::string name = DescribeFeature(static_cast<Feature>(i));
    EXPECT_TRUE(name.find("the feature ") == 0 || name.find("subgroup ") == 0 ||
                name.find("the property ") == 0)
        << name;
  }
  EXPECT_EQ(DescribeFeature(static_cast<Feature>(kFeatureCount)),
            absl::StrCat("feature ", kFeatureCount));
}

TEST(SpirvCheck, Limits) {
  DeviceLimits limits;
  limits.max_workgroup_size[0] = 16;
  limits.max_workgroup_size[1] = 16;
  limits.max_workgroup_size[2] = 0xFFFFFFFF;
  limits.max_workgroup_invocations = 64;
  limits.max_shared_memory = 1024;
  limits.spirv_version = 0x00010300;
  const std::string head = "MemoryModel 0 1; EntryPoint 5 1 'main';";
  const auto shared = [](int count) {
    return absl::StrCat(kKernel, "TypeInt 2 32 0; Constant 2 3 ", count,
                        "; TypeArray 4 2 3; TypePointer 5 4 4; Variable 5 6 4");
  };
  const struct {
    std::string text;
    const char* want;
    uint32_t version = 0x00010300;
  } kCases[] = {
      {head + "ExecutionMode 1 17 16 4 1", "OK"},
      {head + "ExecutionMode 1 17 1 1 64", "OK"},
      {head + "ExecutionMode 1 17 1 17 1",
       "RESOURCE_EXHAUSTED: The shader's 'main' has 17 invocations in "
       "dimension 1 of a workgroup; the device's limit is 16."},
      {head + "ExecutionMode 1 17 16 5 1",
       "RESOURCE_EXHAUSTED: The shader's 'main' has workgroups of 16x5x1 "
       "invocations; the device's limit is 64 in all."},
      {head + "ExecutionMode 1 17 16 4 4294967295",
       "RESOURCE_EXHAUSTED: The shader's 'main' has workgroups of "
       "16x4x4294967295 invocations; the device's limit is 64 in all."},
      {shared(256), "OK"},
      {shared(257),
       "RESOURCE_EXHAUSTED: The shader's 'main' shares 1028 bytes within a "
       "workgroup; the device's limit is 1024."},
      {kKernel,
       "UNIMPLEMENTED: The shader uses SPIR-V 1.4; the device supports 1.3.",
       0x00010400},
      {head + "TypeInt 2 32 0; Constant 2 3 8; ExecutionModeId 1 38 3 3 3",
       "UNIMPLEMENTED: The shader gives its workgroup size by constants; the "
       "device lacks the feature maintenance4."},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(CheckText(c.text, limits, FeatureSet(), c.version), c.want);
  }
}

TEST(SpirvCheck, Executables) {
  using P = ExecutableParts;
  DeviceLimits limits;
  limits.max_push_constants_size = 40;
  limits.max_storage_buffers = 2;
  limits.max_uniform_buffers = 1;
  limits.min_subgroup_size = 8;
  limits.max_subgroup_size = 32;
  const struct {
    const char* what;
    std::function<void(P&)> change;
    const char* want;
    std::optional<Feature> without;
  } kCases[] = {
      {"whole", [](P&) {}, "OK", std::nullopt},
      {"constants", [](P& p) { p.ranges = {{0, 44}}; },
       "RESOURCE_EXHAUSTED: The kernel takes 44 bytes of push constants; the "
       "device's limit is 40. (export 'main')",
       std::nullopt},
      {"storage buffers", [](P& p) { p.bindings = {{0}, {1}, {2}, {3, 6}}; },
       "RESOURCE_EXHAUSTED: The kernel binds 3 storage buffers and 1 uniform "
       "buffers; the device's limits are 2 and 1. (export 'main')",
       std::nullopt},
      {"uniform buffers", [](P& p) { p.bindings = {{0}, {1, 6}, {2, 6}}; },
       "RESOURCE_EXHAUSTED: The kernel binds 1 storage buffers and 2 uniform "
       "buffers; the device's limits are 2 and 1. (export 'main')",
       std::nullopt},
      {"subgroups", [](P& p) { p.subgroup_size = 8; }, "OK", std::nullopt},
      {"subgroups, unsized", [](P& p) { p.subgroup_size = 8; },
       "UNIMPLEMENTED: The kernel requires subgroups of 8; the device lacks "
       "the feature subgroupSizeControl. (export 'main')",
       Feature::subgroupSizeControl},
      {"smaller subgroups", [](P& p) { p.subgroup_size = 4; },
       "UNIMPLEMENTED: The kernel requires subgroups of 4; the device has 8 "
       "to 32. (export 'main')",
       std::nullopt},
      {"larger subgroups", [](P& p) { p.subgroup_size = 64; },
       "UNIMPLEMENTED: The kernel requires subgroups of 64; the device has 8 "
       "to 32. (export 'main')",
       std::nullopt},
      {"addresses", [](P& p) { p = P::Addressing(); }, "OK", std::nullopt},
      {"no addresses",
       [](P& p) {
         p = P::Addressing();
         p.shaders[0] = kKernel;
       },
       "UNIMPLEMENTED: The kernel takes buffers by address; the device lacks "
       "the feature bufferDeviceAddress. (export 'main')",
       Feature::bufferDeviceAddress},
      {"a shader's capability", [](P& p) { p = P::Addressing(); },
       "UNIMPLEMENTED: The shader declares SPIR-V capability "
       "PhysicalStorageBufferAddresses (5347); the device lacks the feature "
       "bufferDeviceAddress. (shader module 0 of the executable)",
       Feature::bufferDeviceAddress},
  };
  for (const auto& c : kCases) {
    P parts;
    c.change(parts);
    FeatureSet features = AllFeatures();
    if (c.without) features.Set(*c.without, false);
    absl::StatusOr<ExecutableDef> def = ReadExecutable(parts.Build());
    ASSERT_EQ(StatusText(def), "OK") << c.what;
    EXPECT_EQ(StatusText(CheckExecutable(*def, limits, features)), c.want)
        << c.what;
  }
}

// Kernels from compilers on a device without cooperative matrices.
TEST(SpirvCheck, CompiledKernels) {
  FeatureSet features = AllFeatures();
  features.Set(Feature::cooperativeMatrix, false);
  const struct {
    const char* file;
    const char* want;
  } kCases[] = {
      {"add_3_3", "OK"},
      {"scale_addresses", "OK"},
      {"sum_turing", "OK"},
      {"matmul_rdna3",
       "UNIMPLEMENTED: The shader declares SPIR-V capability "
       "CooperativeMatrixKHR (6022); the device lacks the feature "
       "cooperativeMatrix. (shader module 0 of the executable)"},
  };
  for (const auto& c : kCases) {
    absl::StatusOr<ExecutableDef> def = ReadExecutable(
        FileBytes(absl::StrCat("hal/vulkan/testdata/", c.file, ".vk")));
    ASSERT_EQ(StatusText(def), "OK");
    EXPECT_EQ(StatusText(CheckExecutable(*def, DeviceLimits(), features)),
              c.want)
        << c.file;
  }
}

}  // namespace
}  // namespace eyrie::hal::vulkan
