#include "hal/vulkan/host_device.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/vulkan/features.h"

namespace eyrie::hal::vulkan {
namespace {

absl::Status CheckQueue(const PhysicalDevice& physical,
                        const VkDeviceCreateInfo& info, uint32_t family) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical.handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical.handle, &count,
                                           families.data());
  bool was_created = false;
  for (uint32_t i = 0; i < info.queueCreateInfoCount; ++i) {
    was_created |= info.pQueueCreateInfos[i].queueFamilyIndex == family;
  }
  if (!was_created || family >= count) {
    return absl::InvalidArgumentError(
        absl::StrCat("The VkDevice has no queue of the family ", family, "."));
  }
  if ((families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Queues of the family ", family, " of the VkDevice cannot compute."));
  }
  return absl::OkStatus();
}

// Keeps only what the host enabled.
absl::Status Restrict(const VkDeviceCreateInfo& info,
                      PhysicalDevice& physical) {
  std::vector<std::string> extensions;
  for (uint32_t i = 0; i < info.enabledExtensionCount; ++i) {
    extensions.emplace_back(info.ppEnabledExtensionNames[i]);
  }
  physical.extensions = std::move(extensions);
  FeatureChain enabled(physical.api_version, physical.extensions);
  enabled.TakeEnabled(info);
  enabled.Restrict(physical.features);
  if (!enabled.has_timeline_semaphores()) {
    return absl::FailedPreconditionError(
        "The VkDevice was created without the feature timelineSemaphore.");
  }
  if (!enabled.has_host_query_reset()) physical.timestamp_bits = 0;
  if (!physical.HasExtension(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME)) {
    physical.max_push_descriptors = 0;
  }
  if (!physical.HasExtension(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) {
    physical.host_pointer_alignment = 0;
  }
  physical.has_memory_budget =
      physical.HasExtension(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PhysicalDevice> InspectHostDevice(const HostDevice& host) {
  const auto* const info =
      static_cast<const VkDeviceCreateInfo*>(host.create_info);
  if (host.physical_device == nullptr || host.device == nullptr ||
      host.queue == nullptr || info == nullptr ||
      info->sType != VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO) {
    return absl::InvalidArgumentError(
        "A Vulkan device of the host needs a VkPhysicalDevice, a VkDevice, its "
        "VkDeviceCreateInfo and a VkQueue.");
  }
  PhysicalDevice physical =
      Inspect(static_cast<VkPhysicalDevice>(host.physical_device));
  if (!physical.lacks.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("The Vulkan device '", physical.name,
                     "' cannot be used: ", physical.lacks, "."));
  }
  RETURN_IF_ERROR(CheckQueue(physical, *info, host.queue_family));
  if (physical.queue_family != host.queue_family) physical.timestamp_bits = 0;
  physical.queue_family = host.queue_family;
  RETURN_IF_ERROR(Restrict(*info, physical));
  return physical;
}

}  // namespace eyrie::hal::vulkan
