// Chains Vulkan's feature structures.
//
// On Vulkan 1.2, three features of VkPhysicalDeviceVulkan13Features are in
// structures of extensions; they are copied into it and out of it.
#include "hal/vulkan/features.h"

#include <algorithm>
#include <cstring>

namespace eyrie::hal::vulkan {

// Structures that are missing in the oldest headers Eyrie is built with.
// Source: the Vulkan registry, vk.xml.
#ifndef VK_KHR_cooperative_matrix
struct VkPhysicalDeviceCooperativeMatrixFeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 cooperativeMatrix;
  VkBool32 cooperativeMatrixRobustBufferAccess;
};
#endif
#ifndef VK_KHR_shader_bfloat16
struct VkPhysicalDeviceShaderBfloat16FeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 shaderBFloat16Type;
  VkBool32 shaderBFloat16DotProduct;
  VkBool32 shaderBFloat16CooperativeMatrix;
};
#endif
#ifndef VK_EXT_shader_replicated_composites
struct VkPhysicalDeviceShaderReplicatedCompositesFeaturesEXT {
  VkStructureType sType;
  void* pNext;
  VkBool32 shaderReplicatedComposites;
};
#endif
#ifndef VK_KHR_shader_expect_assume
struct VkPhysicalDeviceShaderExpectAssumeFeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 shaderExpectAssume;
};
#endif

namespace {

// The first members of every structure.
struct ChainLink {
  VkStructureType type;
  void* next;
};

}  // namespace

struct FeatureChain::Structures {
  VkPhysicalDeviceFeatures2 features = {};
  VkPhysicalDeviceFeatures& Vulkan10 = features.features;
  VkPhysicalDeviceVulkan11Features Vulkan11 = {};
  VkPhysicalDeviceVulkan12Features Vulkan12 = {};
  VkPhysicalDeviceVulkan13Features Vulkan13 = {};
  // Used on Vulkan 1.2 in place of Vulkan13.
  VkPhysicalDeviceMaintenance4Features maintenance4 = {};
  VkPhysicalDeviceShaderIntegerDotProductFeatures dot_product = {};
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size = {};
  bool is_old = false;
  // Extensions.
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR CooperativeMatrixKHR = {};
  VkPhysicalDeviceRobustness2FeaturesEXT robustness2 = {};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT ShaderAtomicFloatEXT = {};
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT ShaderAtomicFloat2EXT = {};
  VkPhysicalDeviceShaderBfloat16FeaturesKHR ShaderBfloat16KHR = {};
  VkPhysicalDeviceShaderExpectAssumeFeaturesKHR ShaderExpectAssumeKHR = {};
  VkPhysicalDeviceShaderReplicatedCompositesFeaturesEXT
      ShaderReplicatedCompositesEXT = {};
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR
      WorkgroupMemoryExplicitLayoutKHR = {};
};

FeatureChain::FeatureChain(uint32_t api_version,
                           const std::vector<std::string>& extensions)
    : structures_(std::make_unique<Structures>()) {
  Structures& s = *structures_;
  ChainLink* last = nullptr;
  const auto chain = [&last](auto& structure, int type) {
    auto* const header = reinterpret_cast<ChainLink*>(&structure);
    header->type = static_cast<VkStructureType>(type);
    if (last != nullptr) last->next = header;
    last = header;
  };
  const auto chain_if = [&](auto& structure, int type, const char* extension) {
    if (std::find(extensions.begin(), extensions.end(), extension) ==
        extensions.end()) {
      return;
    }
    extensions_.push_back(extension);
    chain(structure, type);
  };
  chain(s.features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  chain(s.Vulkan11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
  chain(s.Vulkan12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  s.is_old = api_version < VK_API_VERSION_1_3;
  if (s.is_old) {
    chain_if(s.maintenance4,
             VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES,
             "VK_KHR_maintenance4");
    chain_if(
        s.dot_product,
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES,
        "VK_KHR_shader_integer_dot_product");
    chain_if(s.subgroup_size,
             VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
             "VK_EXT_subgroup_size_control");
  } else {
    chain(s.Vulkan13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  }
  chain_if(s.CooperativeMatrixKHR, 1000506000, "VK_KHR_cooperative_matrix");
  chain_if(s.robustness2,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
           "VK_EXT_robustness2");
  chain_if(s.ShaderAtomicFloatEXT,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
           "VK_EXT_shader_atomic_float");
  chain_if(s.ShaderAtomicFloat2EXT,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT,
           "VK_EXT_shader_atomic_float2");
  chain_if(s.ShaderBfloat16KHR, 1000141000, "VK_KHR_shader_bfloat16");
  chain_if(s.ShaderExpectAssumeKHR, 1000544000, "VK_KHR_shader_expect_assume");
  chain_if(s.ShaderReplicatedCompositesEXT, 1000564000,
           "VK_EXT_shader_replicated_composites");
  chain_if(s.WorkgroupMemoryExplicitLayoutKHR, 1000336000,
           "VK_KHR_workgroup_memory_explicit_layout");
}

FeatureChain::~FeatureChain() = default;

VkPhysicalDeviceFeatures2* FeatureChain::head() {
  return &structures_->features;
}

bool FeatureChain::has_timeline_semaphores() const {
  return structures_->Vulkan12.timelineSemaphore == VK_TRUE;
}

bool FeatureChain::has_host_query_reset() const {
  return structures_->Vulkan12.hostQueryReset == VK_TRUE;
}

void FeatureChain::TakeEnabled(const VkDeviceCreateInfo& info) {
  Structures& s = *structures_;
  if (info.pEnabledFeatures != nullptr) s.Vulkan10 = *info.pEnabledFeatures;
  const auto take = [](const ChainLink* from, auto& to) {
    void* const next = to.pNext;
    std::memcpy(&to, from, sizeof(to));
    to.pNext = next;
  };
  for (const auto* link = static_cast<const ChainLink*>(info.pNext);
       link != nullptr; link = static_cast<const ChainLink*>(link->next)) {
    switch (static_cast<int>(link->type)) {
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2:
        take(link, s.features);
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES:
        take(link, s.Vulkan11);
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES:
        take(link, s.Vulkan12);
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES:
        take(link, s.Vulkan13);
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES:
        s.Vulkan12.timelineSemaphore =
            reinterpret_cast<const VkPhysicalDeviceTimelineSemaphoreFeatures*>(
                link)
                ->timelineSemaphore;
        break;
      default:
        break;
    }
  }
}

void FeatureChain::Restrict(FeatureSet& rows) const {
  const FeatureSet own = Read();
#define FEATURE(structure, member) \
  rows.Set(Feature::member,        \
           rows.Has(Feature::member) && own.Has(Feature::member));
#define SUBGROUP(bit, name)
#define FLOAT_CONTROL(name, mode, width)
#include "hal/vulkan/device_features.def"
#undef FEATURE
#undef SUBGROUP
#undef FLOAT_CONTROL
}

absl::Status FeatureChain::EnableRobustAccess(const FeatureChain& has) {
  if (has.structures_->Vulkan10.robustBufferAccess != VK_TRUE) {
    return absl::UnimplementedError(
        "The device has no robust buffer access, which confines shaders to "
        "their buffers.");
  }
  structures_->Vulkan10.robustBufferAccess = VK_TRUE;
  structures_->robustness2.robustBufferAccess2 =
      has.structures_->robustness2.robustBufferAccess2;
  return absl::OkStatus();
}

FeatureSet FeatureChain::Read() const {
  Structures& s = *structures_;
  if (s.is_old) {
    s.Vulkan13.maintenance4 = s.maintenance4.maintenance4;
    s.Vulkan13.shaderIntegerDotProduct = s.dot_product.shaderIntegerDotProduct;
    s.Vulkan13.subgroupSizeControl = s.subgroup_size.subgroupSizeControl;
  }
  FeatureSet rows;
#define FEATURE(structure, member) \
  rows.Set(Feature::member, s.structure.member == VK_TRUE);
#define SUBGROUP(bit, name)
#define FLOAT_CONTROL(name, mode, width)
#include "hal/vulkan/device_features.def"
#undef FEATURE
#undef SUBGROUP
#undef FLOAT_CONTROL
  return rows;
}

void FeatureChain::Enable(const FeatureSet& rows, const FeatureChain& has) {
  Structures& s = *structures_;
#define FEATURE(structure, member) \
  s.structure.member = rows.Has(Feature::member) ? VK_TRUE : VK_FALSE;
#define SUBGROUP(bit, name)
#define FLOAT_CONTROL(name, mode, width)
#include "hal/vulkan/device_features.def"
#undef FEATURE
#undef SUBGROUP
#undef FLOAT_CONTROL
  const Structures& theirs = *has.structures_;
  s.Vulkan12.timelineSemaphore = theirs.Vulkan12.timelineSemaphore;
  s.Vulkan12.hostQueryReset = theirs.Vulkan12.hostQueryReset;
  s.Vulkan12.scalarBlockLayout = theirs.Vulkan12.scalarBlockLayout;
  s.Vulkan12.shaderSubgroupExtendedTypes =
      theirs.Vulkan12.shaderSubgroupExtendedTypes;
  if (s.is_old) {
    s.maintenance4.maintenance4 = s.Vulkan13.maintenance4;
    s.dot_product.shaderIntegerDotProduct = s.Vulkan13.shaderIntegerDotProduct;
    s.subgroup_size.subgroupSizeControl = s.Vulkan13.subgroupSizeControl;
  }
}

}  // namespace eyrie::hal::vulkan
