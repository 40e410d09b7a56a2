// Opens devices.
#include "hal/vulkan/logical_device.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/small_numbers.h"
#include "base/status_macros.h"
#include "hal/vulkan/features.h"

namespace eyrie::hal::vulkan {
namespace {

SmallNumbers device_numbers;

}  // namespace

LogicalDevice::LogicalDevice(std::shared_ptr<Instance> instance,
                             PhysicalDevice physical,
                             const DriverOptions& options)
    : instance_(std::move(instance)),
      physical_(std::move(physical)),
      options_(options),
      number_(device_numbers.Take()),
      queue_name_(number_ == 0 ? "vulkan queue"
                               : absl::StrCat("vulkan queue ", number_)) {}

LogicalDevice::~LogicalDevice() {
  device_numbers.Give(number_);
  if (handle_ != VK_NULL_HANDLE && !own_options_.host_device) {
    fn().vkDestroyDevice(handle_, nullptr);
  }
  if (!options_.notice) return;
  for (const std::string& message : instance_->TakeMessages()) {
    Notice(message);
  }
}

absl::StatusOr<std::shared_ptr<LogicalDevice>> LogicalDevice::Open(
    std::shared_ptr<Instance> instance, PhysicalDevice physical,
    const DriverOptions& options) {
  if (!options.allow_native_code) {
    // These features can access memory outside of buffers, even with robust
    // access.
    physical.features.Set(Feature::bufferDeviceAddress, false);
    physical.features.Set(Feature::cooperativeMatrix, false);
  }
  std::shared_ptr<LogicalDevice> device(
      new LogicalDevice(std::move(instance), std::move(physical), options));
  RETURN_IF_ERROR(device->Create());
  return device;
}

absl::Status LogicalDevice::Adopt(const HostDevice& host) {
  FeatureChain enabled(physical_.api_version, physical_.extensions);
  enabled.TakeEnabled(
      *static_cast<const VkDeviceCreateInfo*>(host.create_info));
  if (own_options_.robust_buffer_access || !options_.allow_native_code) {
    RETURN_IF_ERROR(enabled.EnableRobustAccess(enabled));
  }
  handle_ = static_cast<VkDevice>(host.device);
  queue_ = static_cast<VkQueue>(host.queue);
  volkLoadDeviceTable(&table_, handle_);
  return absl::OkStatus();
}

absl::Status LogicalDevice::Create() {
  if (own_options_.host_device) return Adopt(*own_options_.host_device);
  FeatureChain has(physical_.api_version, physical_.extensions);
  vkGetPhysicalDeviceFeatures2(physical_.handle, has.head());
  FeatureChain enabled(physical_.api_version, physical_.extensions);
  enabled.Enable(physical_.features, has);
  if (own_options_.robust_buffer_access || !options_.allow_native_code) {
    RETURN_IF_ERROR(enabled.EnableRobustAccess(has));
  }

  std::vector<const char*> extensions = enabled.extensions();
  for (const char* name : {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
                           VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME,
                           VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                           VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME,
                           VK_EXT_MEMORY_BUDGET_EXTENSION_NAME,
                           VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME}) {
    if (physical_.HasExtension(name)) extensions.push_back(name);
  }
  const float priority = 1.0F;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = physical_.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = enabled.head();
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  RETURN_IF_ERROR(
      Check(vkCreateDevice(physical_.handle, &info, nullptr, &handle_),
            "vkCreateDevice"));
  volkLoadDeviceTable(&table_, handle_);
  table_.vkGetDeviceQueue(handle_, physical_.queue_family, 0, &queue_);
  return absl::OkStatus();
}

void LogicalDevice::SetNameOf(VkObjectType type, uint64_t handle,
                              absl::string_view name) const {
  const std::string text(name);
  VkDebugUtilsObjectNameInfoEXT info = {};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
  info.objectType = type;
  info.objectHandle = handle;
  info.pObjectName = text.c_str();
  vkSetDebugUtilsObjectNameEXT(handle_, &info);
}

}  // namespace eyrie::hal::vulkan
