// A physical Vulkan device: its names, limits and features.
//
// Immutable.
// Tested by driver_test.cc.
#ifndef EYRIE_HAL_VULKAN_PHYSICAL_DEVICE_H_
#define EYRIE_HAL_VULKAN_PHYSICAL_DEVICE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/vulkan/api.h"  // Vulkan's types
#include "hal/vulkan/device_limits.h"
#include "hal/vulkan/instance.h"

namespace eyrie::hal::vulkan {

struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  std::string name;    // "llvmpipe (LLVM 15.0.6, 256 bits)"
  std::string driver;  // "llvmpipe: Mesa 22.3.6"
  uint8_t uuid[VK_UUID_SIZE] = {};
  uint32_t api_version = 0;
  VkPhysicalDeviceProperties properties = {};
  VkPhysicalDeviceMemoryProperties memory = {};
  std::vector<std::string> extensions;
  // Features and subgroup operations that shaders may need.
  FeatureSet features;
  DeviceLimits limits;
  uint32_t subgroup_size = 0;
  uint32_t queue_family = 0;
  uint32_t timestamp_bits = 0;          // of its queues; 0: no timestamps
  uint64_t max_allocation = 0;          // bytes; largest single allocation
  uint32_t max_push_descriptors = 0;    // 0: no push descriptors
  uint64_t host_pointer_alignment = 0;  // of imported memory; 0: no import
  bool has_memory_budget = false;
  std::string lacks;  // why Eyrie cannot use it; empty: usable

  bool HasExtension(absl::string_view extension) const;
  // Returns "GPU-" and 32 hexadecimal digits, the path of the device's URI.
  std::string path() const;
  // Returns the same UUID in the older form of 8-4-4-4-12 digits.
  std::string uuid_text() const;
  // Returns the text that --dump_devices prints, several indented lines.
  std::string Describe() const;
};

PhysicalDevice Inspect(VkPhysicalDevice handle);

// Returns all devices, in the loader's order.
absl::StatusOr<std::vector<PhysicalDevice>> FindDevices(
    const Instance& instance);

// Returns the device that `path` names. An empty path means the first usable
// device; otherwise it must be an index, "GPU-<hex>" or a UUID. NOT_FOUND: no
// device matches; the message lists the devices. FAILED_PRECONDITION: the
// device lacks a required feature.
absl::StatusOr<PhysicalDevice> SelectDevice(
    const std::vector<PhysicalDevice>& devices, absl::string_view path);

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_PHYSICAL_DEVICE_H_
