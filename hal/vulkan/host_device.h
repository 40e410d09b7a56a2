// Reads what a VkDevice of the host can do.
//
// Tested by tests/integration/vulkan_sharing_test.cc.
#ifndef EYRIE_HAL_VULKAN_HOST_DEVICE_H_
#define EYRIE_HAL_VULKAN_HOST_DEVICE_H_

#include "absl/status/statusor.h"
#include "hal/vulkan/options.h"
#include "hal/vulkan/physical_device.h"

namespace eyrie::hal::vulkan {

// Returns the physical device of a host's device, with only the features and
// extensions that the host enabled. INVALID_ARGUMENT: a handle is null, or the
// queue's family is not among those that were created, or cannot compute.
// FAILED_PRECONDITION: the device lacks what Eyrie needs.
absl::StatusOr<PhysicalDevice> InspectHostDevice(const HostDevice& host);

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_HOST_DEVICE_H_
