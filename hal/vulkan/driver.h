// The Vulkan driver's entry in the list of drivers.
//
// Tested by driver_test.cc.
#ifndef EYRIE_HAL_VULKAN_DRIVER_H_
#define EYRIE_HAL_VULKAN_DRIVER_H_

#include <memory>

#include "hal/driver.h"

namespace eyrie::hal::vulkan {

// "vulkan": the devices that Vulkan's loader finds. Without a loader it lists
// none, and opening one says what is missing.
std::unique_ptr<Driver> CreateVulkanDriver();

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_DRIVER_H_
