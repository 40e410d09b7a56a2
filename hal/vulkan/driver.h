// The Vulkan driver's entry in the list of drivers.
//
// Tested by driver_test.cc.
#ifndef EYRIE_HAL_VULKAN_DRIVER_H_
#define EYRIE_HAL_VULKAN_DRIVER_H_

#include <memory>

#include "hal/driver.h"

namespace eyrie::hal::vulkan {

// Creates the driver "vulkan", for the devices that the Vulkan loader finds.
// Without a loader the list of devices is empty, and opening a device fails
// with a message that says what to install.
std::unique_ptr<Driver> CreateVulkanDriver();

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_DRIVER_H_
