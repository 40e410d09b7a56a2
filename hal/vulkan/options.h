// The options of the Vulkan driver.
//
// Tested by driver_test.cc.
#ifndef EYRIE_HAL_VULKAN_OPTIONS_H_
#define EYRIE_HAL_VULKAN_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

namespace eyrie::hal::vulkan {

// A device that the host created and keeps. The handles are those of Vulkan.
struct HostDevice {
  void* physical_device = nullptr;
  void* device = nullptr;
  const void* create_info = nullptr;  // VkDeviceCreateInfo; for opening only
  void* queue = nullptr;              // that nothing else uses
  uint32_t queue_family = 0;
};

// Options of the "vulkan" driver.
struct VulkanOptions {
  // Validates shaders with SPIRV-Tools before the driver gets them.
  bool validate_spirv = false;
  // Enables Khronos' validation layer, if it is installed.
  bool validation_layer = false;
  // For tests: treats device memory as not visible to the host.
  bool hide_device_memory = false;
  // For tests: allocates descriptor sets from pools, as on devices without push
  // descriptors.
  bool hide_push_descriptors = false;
  // For tests: allocations of more bytes than this fail; 0: no limit.
  uint64_t refuse_blocks_above = 0;
  // Subgroup size for shaders that use subgroups and do not require a size; 0:
  // the driver chooses.
  uint32_t subgroup_size = 0;
  // Folder for pipeline caches, created on the first write; empty: no caches
  // are written.
  std::string cache_folder;
  // Keeps shaders from accessing memory outside the bound buffers, as far as
  // the device's robustBufferAccess does.
  bool robust_buffer_access = false;
  // Opens this device instead of one that the driver creates.
  std::optional<HostDevice> host_device;
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_OPTIONS_H_
