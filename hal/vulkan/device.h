// The HAL device for Vulkan.
//
// An operation that waits only for submitted work is submitted at once, after
// that work. Other operations are queued on the host until their wait is
// satisfied. File operations run on the host.
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

// Opens a device. INVALID_ARGUMENT: the options do not suit the device. Fails,
// too, if Vulkan does.
absl::StatusOr<Ref<hal::Device>> OpenVulkanDevice(
    std::shared_ptr<Instance> instance, PhysicalDevice physical,
    const DriverOptions& options);

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_DEVICE_H_
