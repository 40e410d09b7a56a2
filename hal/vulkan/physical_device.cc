// Queries physical devices and selects one.
#include "hal/vulkan/physical_device.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/status_macros.h"
#include "hal/vulkan/features.h"

namespace eyrie::hal::vulkan {
namespace {

std::string VersionText(uint32_t version) {
  return absl::StrCat(VK_API_VERSION_MAJOR(version), ".",
                      VK_API_VERSION_MINOR(version), ".",
                      VK_API_VERSION_PATCH(version));
}

std::vector<std::string> ExtensionsOf(VkPhysicalDevice handle) {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(handle, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> all(count);
  if (vkEnumerateDeviceExtensionProperties(handle, nullptr, &count,
                                           all.data()) < 0) {
    return {};
  }
  std::vector<std::string> names;
  for (const VkExtensionProperties& extension : all) {
    names.emplace_back(extension.extensionName);
  }
  return names;
}

// Chooses the compute queue family with the fewest other capabilities, so that
// other work is less likely to delay ours.
bool FindQueueFamily(PhysicalDevice& device) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device.handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device.handle, &count,
                                           families.data());
  int best = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const VkQueueFlags flags = families[i].queueFlags;
    if ((flags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
    const int rank = (flags & VK_QUEUE_GRAPHICS_BIT) == 0 ? 2 : 1;
    if (rank <= best) continue;
    best = rank;
    device.queue_family = i;
    device.timestamp_bits = families[i].timestampValidBits;
  }
  return best != 0;
}

constexpr VkStructureType kHostMemoryType =
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;

// Properties in the structures that the device supports.
struct Properties {
  explicit Properties(const PhysicalDevice& device) {
    base.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    base.pNext = &vulkan11;
    vulkan11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
    vulkan11.pNext = &vulkan12;
    vulkan12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
    void** end = &vulkan12.pNext;
    const auto chain = [&end](auto& structure, VkStructureType type) {
      structure.sType = type;
      *end = &structure;
      end = &structure.pNext;
    };
    if (device.HasExtension(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME)) {
      chain(push,
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR);
    }
    if (device.HasExtension(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) {
      chain(external, kHostMemoryType);
    }
    if (device.api_version >= VK_API_VERSION_1_3 ||
        device.HasExtension(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME)) {
      chain(subgroup,
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
    }
    vkGetPhysicalDeviceProperties2(device.handle, &base);
  }

  VkPhysicalDeviceProperties2 base = {};
  VkPhysicalDeviceVulkan11Properties vulkan11 = {};
  VkPhysicalDeviceVulkan12Properties vulkan12 = {};
  VkPhysicalDevicePushDescriptorPropertiesKHR push = {};
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT external = {};
  VkPhysicalDeviceSubgroupSizeControlProperties subgroup = {};
};

void TakeSubgroups(const Properties& properties, PhysicalDevice& device) {
  const VkPhysicalDeviceVulkan11Properties& known = properties.vulkan11;
  device.subgroup_size = known.subgroupSize;
  if (known.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) {
    const uint32_t operations = known.subgroupSupportedOperations;
#define FEATURE(structure, member)
#define SUBGROUP(bit, name) \
  device.features.Set(Feature::kSubgroup##name, (operations & (bit)) != 0);
#define FLOAT_CONTROL(name, mode, width)
#include "hal/vulkan/device_features.def"
#undef FEATURE
#undef SUBGROUP
#undef FLOAT_CONTROL
  }
  const VkPhysicalDeviceSubgroupSizeControlProperties& sizes =
      properties.subgroup;
  if (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) {
    device.limits.min_subgroup_size = sizes.minSubgroupSize;
    device.limits.max_subgroup_size = sizes.maxSubgroupSize;
  } else {
    device.features.Set(Feature::subgroupSizeControl, false);
  }
}

void TakeFloatControls(const VkPhysicalDeviceVulkan12Properties& from,
                       FeatureSet& features) {
#define FEATURE(structure, member)
#define SUBGROUP(bit, name)
#define FLOAT_CONTROL(name, mode, width) \
  features.Set(Feature::k##name##width,  \
               from.shader##name##Float##width != VK_FALSE);
#include "hal/vulkan/device_features.def"
#undef FEATURE
#undef SUBGROUP
#undef FLOAT_CONTROL
}

void TakeLimits(const VkPhysicalDeviceLimits& from, uint32_t api_version,
                DeviceLimits& limits) {
  limits.spirv_version =
      api_version >= VK_API_VERSION_1_3 ? 0x00010600 : 0x00010500;
  for (int i = 0; i < 3; ++i) {
    limits.max_workgroup_size[i] = from.maxComputeWorkGroupSize[i];
  }
  limits.max_workgroup_invocations = from.maxComputeWorkGroupInvocations;
  limits.max_shared_memory = from.maxComputeSharedMemorySize;
  limits.max_push_constants_size = from.maxPushConstantsSize;
  limits.max_storage_buffers = from.maxPerStageDescriptorStorageBuffers;
  limits.max_uniform_buffers = from.maxPerStageDescriptorUniformBuffers;
}

}  // namespace

bool PhysicalDevice::HasExtension(absl::string_view extension) const {
  return std::any_of(
      extensions.begin(), extensions.end(),
      [&](const std::string& name) { return extension == name; });
}

std::string PhysicalDevice::path() const {
  return absl::StrCat("GPU-", absl::StrReplaceAll(uuid_text(), {{"-", ""}}));
}

std::string PhysicalDevice::uuid_text() const {
  const std::string hex = absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(uuid), sizeof(uuid)));
  return absl::StrCat(hex.substr(0, 8), "-", hex.substr(8, 4), "-",
                      hex.substr(12, 4), "-", hex.substr(16, 4), "-",
                      hex.substr(20));
}

PhysicalDevice Inspect(VkPhysicalDevice handle) {
  PhysicalDevice device;
  device.handle = handle;
  vkGetPhysicalDeviceProperties(handle, &device.properties);
  vkGetPhysicalDeviceMemoryProperties(handle, &device.memory);
  device.name = device.properties.deviceName;
  device.api_version = device.properties.apiVersion;
  if (device.api_version < VK_API_VERSION_1_2) {
    device.lacks =
        absl::StrCat("it has Vulkan ", VersionText(device.api_version),
                     "; at least 1.2 is needed");
    return device;
  }
  device.extensions = ExtensionsOf(handle);
  const Properties properties(device);
  std::memcpy(device.uuid, properties.vulkan11.deviceUUID, sizeof(device.uuid));
  device.driver = absl::StrCat(properties.vulkan12.driverName, ": ",
                               properties.vulkan12.driverInfo);
  device.max_allocation = properties.vulkan11.maxMemoryAllocationSize;
  device.max_push_descriptors = properties.push.maxPushDescriptors;
  device.host_pointer_alignment =
      properties.external.minImportedHostPointerAlignment;
  device.has_memory_budget =
      device.HasExtension(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  FeatureChain chain(device.api_version, device.extensions);
  vkGetPhysicalDeviceFeatures2(handle, chain.head());
  device.features = chain.Read();
  TakeSubgroups(properties, device);
  TakeFloatControls(properties.vulkan12, device.features);
  TakeLimits(device.properties.limits, device.api_version, device.limits);
  if (!chain.has_timeline_semaphores()) {
    device.lacks = "it has no timeline semaphores";
  } else if (!FindQueueFamily(device)) {
    device.lacks = "none of its queues can compute";
  }
  return device;
}

std::string PhysicalDevice::Describe() const {
  std::string text = absl::StrCat("name: ", name, "\ndriver: ", driver,
                                  "\nVulkan: ", VersionText(api_version),
                                  "\nuuid: ", uuid_text(), "\n");
  if (!lacks.empty()) absl::StrAppend(&text, "not usable: ", lacks, "\n");
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    absl::StrAppend(&text, "memory heap ", i, ": ", memory.memoryHeaps[i].size,
                    " bytes\n");
  }
  absl::StrAppend(
      &text, "subgroup size: ", subgroup_size, " (", limits.min_subgroup_size,
      " to ", limits.max_subgroup_size,
      " can be required)\nworkgroup: ", limits.max_workgroup_invocations,
      " invocations, ", limits.max_shared_memory,
      " bytes shared\nbinding: ", properties.limits.maxStorageBufferRange,
      " bytes\npush constants: ", limits.max_push_constants_size,
      " bytes\nfeatures:");
#define FEATURE(structure, member) \
  if (features.Has(Feature::member)) absl::StrAppend(&text, " " #member);
#define SUBGROUP(bit, name)                   \
  if (features.Has(Feature::kSubgroup##name)) \
    absl::StrAppend(&text, " subgroup", #name);
#define FLOAT_CONTROL(name, mode, width)     \
  if (features.Has(Feature::k##name##width)) \
    absl::StrAppend(&text, " shader" #name "Float" #width);
#include "hal/vulkan/device_features.def"
#undef FEATURE
#undef SUBGROUP
#undef FLOAT_CONTROL
  return absl::StrCat(text, "\n");
}

absl::StatusOr<std::vector<PhysicalDevice>> FindDevices(
    const Instance& instance) {
  ASSIGN_OR_RETURN(const std::vector<VkPhysicalDevice> handles,
                   instance.PhysicalDevices());
  std::vector<PhysicalDevice> devices;
  devices.reserve(handles.size());
  for (VkPhysicalDevice handle : handles) devices.push_back(Inspect(handle));
  return devices;
}

absl::StatusOr<PhysicalDevice> SelectDevice(
    const std::vector<PhysicalDevice>& devices, absl::string_view path) {
  uint32_t index = 0;
  const bool is_index = absl::SimpleAtoi(path, &index);
  const std::string wanted = absl::AsciiStrToLower(path);
  std::vector<std::string> lines;
  for (size_t i = 0; i < devices.size(); ++i) {
    const PhysicalDevice& device = devices[i];
    const bool is_named =
        path.empty() ? device.lacks.empty()
        : is_index   ? index == i
                     : wanted == absl::AsciiStrToLower(device.path()) ||
                         wanted == device.uuid_text();
    if (is_named && device.lacks.empty()) return device;
    if (is_named) {
      return absl::FailedPreconditionError(
          absl::StrCat("The Vulkan device '", device.name,
                       "' cannot be used: ", device.lacks, "."));
    }
    lines.push_back(absl::StrCat(
        "vulkan://", i, " is '", device.name, "' (", device.path(), ")",
        device.lacks.empty() ? "" : absl::StrCat(": ", device.lacks)));
  }
  if (devices.empty()) return NoDriverError();
  return absl::NotFoundError(absl::StrCat(
      path.empty() ? "No Vulkan device can be used; "
                   : absl::StrCat("There is no Vulkan device '", path, "'; "),
      absl::StrJoin(lines, ", "), "."));
}

}  // namespace eyrie::hal::vulkan
