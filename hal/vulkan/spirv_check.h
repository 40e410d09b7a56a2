// Compares shaders and executables with a device before anything is made of
// them: modules do not ask first, and drivers need not refuse.
//
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

// "Int64"; of an unknown one its number.
std::string CapabilityName(uint32_t number);

// UNIMPLEMENTED: the shader declares a capability that the device lacks, or
// an unknown one, or is of a newer version than the device takes.
// RESOURCE_EXHAUSTED: a workgroup is too large, or its shared memory.
absl::Status CheckModule(const SpirvModule& module, const DeviceLimits& limits,
                         const FeatureSet& enabled);

// All of an executable: its shaders, and of each export the subgroup size and
// how buffers are passed (UNIMPLEMENTED), the bytes of push constants and the
// number of buffers (RESOURCE_EXHAUSTED).
absl::Status CheckExecutable(const ExecutableDef& executable,
                             const DeviceLimits& limits,
                             const FeatureSet& enabled);

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_SPIRV_CHECK_H_
