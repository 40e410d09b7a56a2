// Vulkan's functions, loaded by volk.
//
// The loader is opened at a driver's first use, so that Eyrie also runs on
// machines without Vulkan. Device functions are in each device's own table
// (logical_device.h); instance functions are volk's globals.
#ifndef EYRIE_HAL_VULKAN_API_H_
#define EYRIE_HAL_VULKAN_API_H_

#include <volk.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace eyrie::hal::vulkan {

// Opens the Vulkan loader, once per process. UNAVAILABLE: the loader cannot be
// opened; the message says what to install.
absl::Status LoadVulkan();

// Converts a result to a status. `what` names the call, such as
// "vkCreateDevice". Returns OK for VK_SUCCESS and other positive results.
// RESOURCE_EXHAUSTED: out of memory; UNAVAILABLE: the device is lost, or this
// machine lacks the feature; INTERNAL: any other failure.
absl::Status Check(VkResult result, absl::string_view what);

// Returns a table with the device functions that Eyrie uses, each of which does
// nothing and returns VK_ERROR_DEVICE_LOST.
const VolkDeviceTable& LostFunctions();

// Returns a result's name, such as "VK_ERROR_DEVICE_LOST".
const char* ResultName(VkResult result);

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_API_H_
