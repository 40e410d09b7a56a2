// The part of SPIRV-Tools' C API that Eyrie uses, declared here so that the
// build does not need its headers.
//
// Source: spirv-tools/libspirv.h; spirv_validate_test.cc compares.
#ifndef EYRIE_HAL_VULKAN_SPIRV_TOOLS_ABI_H_
#define EYRIE_HAL_VULKAN_SPIRV_TOOLS_ABI_H_

#include <cstddef>
#include <cstdint>

namespace eyrie::hal::vulkan::spirv_tools {

inline constexpr int kEnvVulkan13 = 25;  // of spv_target_env

inline constexpr int kSuccess = 0;         // of spv_result_t
inline constexpr int kInvalidBinary = -4;  // the same

struct Context;
struct Options;

struct Binary {
  const uint32_t* words;
  size_t count;
};

struct Diagnostic {
  size_t position[3];
  char* error;
  bool is_text;
};

}  // namespace eyrie::hal::vulkan::spirv_tools

#endif  // EYRIE_HAL_VULKAN_SPIRV_TOOLS_ABI_H_
