// Tests chains of feature structures for several device versions: filled in as
// a driver would, read, and enabled.
#include "hal/vulkan/features.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/vulkan/device_limits.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::vulkan {
namespace {

// Returns the names of the set features, except subgroup operations.
std::string Names(const FeatureSet& features) {
  std::string text;
#define FEATURE(structure, member) \
  if (features.Has(Feature::member)) absl::StrAppend(&text, #member " ");
#define SUBGROUP(bit, name)                   \
  if (features.Has(Feature::kSubgroup##name)) \
    absl::StrAppend(&text, "subgroup" #name " ");
#define FLOAT_CONTROL(name, mode, width) \
  if (features.Has(Feature::k##name##width)) absl::StrAppend(&text, #name " ");
#include "hal/vulkan/device_features.def"
#undef FEATURE
#undef SUBGROUP
#undef FLOAT_CONTROL
  return text;
}

// Returns the structure of a type in a chain, or nullptr.
template <typename T>
T* Find(FeatureChain& chain, int type) {
  auto* structure = reinterpret_cast<VkBaseOutStructure*>(chain.head());
  for (; structure != nullptr; structure = structure->pNext) {
    if (structure->sType == type) return reinterpret_cast<T*>(structure);
  }
  return nullptr;
}

// Returns the chain's types, in order, except those that every device has.
std::string Types(FeatureChain& chain) {
  std::string text;
  auto* structure = reinterpret_cast<VkBaseOutStructure*>(chain.head());
  for (; structure != nullptr; structure = structure->pNext) {
    absl::StrAppend(&text, text.empty() ? "" : " ",
                    static_cast<int>(structure->sType));
  }
  return text;
}

TEST(FeatureChain, HasWhatTheDeviceKnows) {
  const struct {
    uint32_t version;
    std::vector<std::string> extensions;
    const char* types;
    const char* enabled;
  } kCases[] = {
      {VK_API_VERSION_1_2, {}, "1000059000 49 51", ""},
      {VK_API_VERSION_1_3, {}, "1000059000 49 51 53", ""},
      // Vulkan 1.2 has 1.3's features as extensions.
      {VK_API_VERSION_1_2,
       {"VK_KHR_maintenance4", "VK_KHR_shader_integer_dot_product",
        "VK_EXT_subgroup_size_control"},
       "1000059000 49 51 1000413000 1000280000 1000225002",
       "VK_KHR_maintenance4 VK_KHR_shader_integer_dot_product "
       "VK_EXT_subgroup_size_control "},
      {VK_API_VERSION_1_3,
       {"VK_KHR_maintenance4", "VK_EXT_subgroup_size_control"},
       "1000059000 49 51 53",
       ""},
      // Our own order, without unknown structures.
      {VK_API_VERSION_1_3,
       {"VK_KHR_workgroup_memory_explicit_layout", "VK_KHR_swapchain",
        "VK_KHR_cooperative_matrix", "VK_EXT_shader_atomic_float2",
        "VK_EXT_shader_atomic_float", "VK_KHR_shader_expect_assume",
        "VK_KHR_shader_bfloat16", "VK_EXT_shader_replicated_composites"},
       "1000059000 49 51 53 1000506000 1000260000 1000273000 1000141000 "
       "1000544000 1000564000 1000336000",
       "VK_KHR_cooperative_matrix VK_EXT_shader_atomic_float "
       "VK_EXT_shader_atomic_float2 VK_KHR_shader_bfloat16 "
       "VK_KHR_shader_expect_assume VK_EXT_shader_replicated_composites "
       "VK_KHR_workgroup_memory_explicit_layout "},
  };
  for (const auto& c : kCases) {
    FeatureChain chain(c.version, c.extensions);
    EXPECT_EQ(Types(chain), c.types);
    std::string enabled;
    for (const char* extension : chain.extensions()) {
      absl::StrAppend(&enabled, extension, " ");
    }
    EXPECT_EQ(enabled, c.enabled);
    EXPECT_EQ(Names(chain.Read()), "");
  }
}

// On Vulkan 1.2, three features are in other structures.
TEST(FeatureChain, OldDevices) {
  const std::vector<std::string> extensions = {
      "VK_KHR_maintenance4", "VK_KHR_shader_integer_dot_product",
      "VK_EXT_subgroup_size_control"};
  FeatureChain has(VK_API_VERSION_1_2, extensions);
  EXPECT_EQ(
      Find<void>(has, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES),
      nullptr);
  has.head()->features.shaderInt64 = VK_TRUE;
  auto& dots = *Find<VkPhysicalDeviceShaderIntegerDotProductFeatures>(
      has,
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES);
  dots.shaderIntegerDotProduct = VK_TRUE;
  EXPECT_EQ(Names(has.Read()), "shaderInt64 shaderIntegerDotProduct ");
  auto& sizes = *Find<VkPhysicalDeviceSubgroupSizeControlFeatures>(
      has, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES);
  sizes.subgroupSizeControl = VK_TRUE;
  sizes.computeFullSubgroups = VK_TRUE;
  auto& maintenance = *Find<VkPhysicalDeviceMaintenance4Features>(
      has, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES);
  maintenance.maintenance4 = VK_TRUE;
  EXPECT_EQ(
      Names(has.Read()),
      "shaderInt64 maintenance4 shaderIntegerDotProduct subgroupSizeControl ");

  // Exactly the requested features are enabled, in the right structures.
  FeatureSet rows = has.Read();
  rows.Set(Feature::shaderIntegerDotProduct, false);
  FeatureChain enabled(VK_API_VERSION_1_2, extensions);
  enabled.Enable(rows, has);
  EXPECT_EQ(Names(enabled.Read()),
            "shaderInt64 maintenance4 subgroupSizeControl ");
  EXPECT_EQ(
      (Find<VkPhysicalDeviceSubgroupSizeControlFeatures>(
           enabled,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES)
           ->subgroupSizeControl),
      VK_TRUE);
}

// Features for the driver's own use are enabled only if they are supported.
TEST(FeatureChain, WhatTheDriverUses) {
  for (const uint32_t version : {VK_API_VERSION_1_2, VK_API_VERSION_1_3}) {
    FeatureChain has(version, {});
    FeatureChain enabled(version, {});
    EXPECT_FALSE(has.has_timeline_semaphores());
    enabled.Enable(FeatureSet(), has);
    EXPECT_FALSE(enabled.has_timeline_semaphores());
    auto& vulkan12 = *Find<VkPhysicalDeviceVulkan12Features>(
        has, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    vulkan12.timelineSemaphore = VK_TRUE;
    vulkan12.drawIndirectCount = VK_TRUE;
    EXPECT_TRUE(has.has_timeline_semaphores());
    enabled.Enable(FeatureSet(), has);
    EXPECT_TRUE(enabled.has_timeline_semaphores());
    EXPECT_EQ(
        Find<VkPhysicalDeviceVulkan12Features>(
            enabled, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
            ->drawIndirectCount,
        VK_FALSE);
  }
}

TEST(FeatureChain, RobustAccess) {
  const std::vector<std::string> extensions = {"VK_EXT_robustness2"};
  FeatureChain has(VK_API_VERSION_1_3, extensions);
  FeatureChain enabled(VK_API_VERSION_1_3, extensions);
  EXPECT_EQ(StatusText(enabled.EnableRobustAccess(has)),
            "UNIMPLEMENTED: The device has no robust buffer access, which "
            "confines shaders to their buffers.");
  has.head()->features.robustBufferAccess = VK_TRUE;
  constexpr int kType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT;
  auto& robust = *Find<VkPhysicalDeviceRobustness2FeaturesEXT>(enabled, kType);
  for (const VkBool32 more : {VK_FALSE, VK_TRUE}) {
    Find<VkPhysicalDeviceRobustness2FeaturesEXT>(has, kType)
        ->robustBufferAccess2 = more;
    EXPECT_EQ(StatusText(enabled.EnableRobustAccess(has)), "OK");
    EXPECT_EQ(enabled.head()->features.robustBufferAccess, VK_TRUE);
    EXPECT_EQ(robust.robustBufferAccess2, more);
    EXPECT_EQ(robust.nullDescriptor, VK_FALSE);
  }
}

}  // namespace
}  // namespace eyrie::hal::vulkan
