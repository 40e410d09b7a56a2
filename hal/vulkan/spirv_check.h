// Checks shaders and executables against a device's limits before any Vulkan
// object is created. Modules do not query these limits, and drivers are not
// required to reject violations.
// Tested by spirv_check_test.cc.
#ifndef EYRIE_HAL_VULKAN_SPIRV_CHECK_H_
#define EYRIE_HAL_VULKAN_SPIRV_CHECK_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "hal/vulkan/device_limits.h"
#include "hal/vulkan/executable_def.h"
#include "hal/vulkan/spirv.h"

namespace eyrie::hal::vulkan {

// Returns the name of a capability, such as "Int64", or its number if unknown.
std::string CapabilityName(uint32_t number);

// Checks a shader. UNIMPLEMENTED: it declares a capability that is unknown or
// that the device lacks, or its version is newer than the device supports.
// RESOURCE_EXHAUSTED: a workgroup or its shared memory is too large.
absl::Status CheckModule(const SpirvModule& module, const DeviceLimits& limits,
                         const FeatureSet& enabled);

// Checks a whole executable: its shaders, and for each export the subgroup size
// and use of buffer addresses (UNIMPLEMENTED), the size of push constants and
// the number of buffers (RESOURCE_EXHAUSTED).
absl::Status CheckExecutable(const ExecutableDef& executable,
                             const DeviceLimits& limits,
                             const FeatureSet& enabled);

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_SPIRV_CHECK_H_
