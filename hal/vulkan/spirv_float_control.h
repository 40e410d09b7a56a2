// How a shader's floats round, as SPIR-V declares it.
//
// Tested by spirv_test.cc.
#ifndef EYRIE_HAL_VULKAN_SPIRV_FLOAT_CONTROL_H_
#define EYRIE_HAL_VULKAN_SPIRV_FLOAT_CONTROL_H_

#include <cstdint>

namespace eyrie::hal::vulkan {

// A rounding or denormal mode for floats of one width: an execution mode from
// DenormPreserve (4459) to RoundingModeRTZ (4463).
struct SpirvFloatControl {
  uint32_t mode;
  uint32_t width;  // bits
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_SPIRV_FLOAT_CONTROL_H_
