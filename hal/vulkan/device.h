// The Vulkan device as the HAL sees it.
//
// Operations whose wait is met by submitted work are submitted behind it; the
// others are put by until it is met. What touches files runs on the host.
// Tested by device_test.cc.
#ifndef EYRIE_HAL_VULKAN_DEVICE_H_
#define EYRIE_HAL_VULKAN_DEVICE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "hal/vulkan/instance.h"
#include "hal/vulkan/physical_device.h"

namespace eyrie::hal::vulkan {

// Opens a device. As Vulkan fails; INVALID_ARGUMENT: options that do not fit
// the device.
absl::StatusOr<Ref<hal::Device>> OpenVulkanDevice(
    std::shared_ptr<Instance> instance, PhysicalDevice physical,
    const DriverOptions& options);

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_DEVICE_H_
