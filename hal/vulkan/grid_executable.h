// A test executable that exports the kernel of testdata/grid.comp several
// times.
#ifndef EYRIE_HAL_VULKAN_GRID_EXECUTABLE_H_
#define EYRIE_HAL_VULKAN_GRID_EXECUTABLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "hal/vulkan/executable_builder.h"
#include "hal/vulkan/testdata/grid_shader.h"

namespace eyrie::hal::vulkan {

// Export "main" has two bindings, the words to change and the addend, and two
// constants, the first word and the word count. A workgroup has two
// invocations.
inline ExecutableParts GridParts() {
  ExecutableParts parts;
  parts.shaders = {""};
  parts.words = {std::begin(kGridShader), std::end(kGridShader)};
  parts.bindings = {{.binding = 0}, {.binding = 3, .kind = 6}};
  return parts;
}

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_GRID_EXECUTABLE_H_
