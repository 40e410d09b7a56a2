// A Vulkan device as it is found: its names, limits and features.
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
#include "hal/vulkan/api.h"
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
  std::vector<const char*> feature_extensions;  // those of `features`
  // What shaders may need: features and kinds of subgroup operations.
  FeatureSet features;
  DeviceLimits limits;
  uint32_t subgroup_size = 0;
  uint32_t queue_family = 0;
  uint32_t timestamp_bits = 0;          // of its queues; 0: none
  uint64_t max_allocation = 0;          // bytes of one allocation
  uint32_t max_push_descriptors = 0;    // 0: no push descriptors
  uint64_t host_pointer_alignment = 0;  // of imported memory; 0: none is
  bool has_memory_budget = false;
  std::string lacks;  // why Eyrie cannot use it; empty: it can

  bool HasExtension(absl::string_view extension) const;
  // "GPU-" and 32 hexadecimal digits: the path of its URI.
  std::string path() const;
  // The older form of it: 8-4-4-4-12 digits.
  std::string uuid_text() const;
  // What --dump_devices prints, indented: several lines.
  std::string Describe() const;
};

PhysicalDevice Inspect(VkPhysicalDevice handle);

// All devices, in the order of the loader.
absl::StatusOr<std::vector<PhysicalDevice>> FindDevices(
    const Instance& instance);

// The device that a path names: nothing (the first that can be used), an
// index, "GPU-<hex>" or a UUID. NOT_FOUND lists those present;
// FAILED_PRECONDITION: what the device lacks.
absl::StatusOr<PhysicalDevice> SelectDevice(
    const std::vector<PhysicalDevice>& devices, absl::string_view path);

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_PHYSICAL_DEVICE_H_
