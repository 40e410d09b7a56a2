// Vulkan's functions, as volk finds them.
//
// The loader is opened when a driver first asks for it: machines without one
// run everything else. Functions of a device are in its own table
// (logical_device.h); those of instances are volk's.
#ifndef EYRIE_HAL_VULKAN_API_H_
#define EYRIE_HAL_VULKAN_API_H_

#include <volk.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace eyrie::hal::vulkan {

// Opens the loader, once. UNAVAILABLE: there is none; says what to install.
absl::Status LoadVulkan();

// The failure of `what`, "vkCreateDevice"; VK_SUCCESS and other positive
// results are none. RESOURCE_EXHAUSTED: memory; UNAVAILABLE: a device that is
// lost, or what this machine has not got; else INTERNAL.
absl::Status Check(VkResult result, absl::string_view what);

// Functions of a device, as many as are used here, that do nothing and return
// VK_ERROR_DEVICE_LOST.
const VolkDeviceTable& LostFunctions();

// "VK_ERROR_DEVICE_LOST", or the number.
const char* ResultName(VkResult result);

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_API_H_
