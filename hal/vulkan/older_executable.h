// Executables for Vulkan of releases before 20240828.
//
// They have entry points and SPIR-V, but no layouts: the module creates these.
// Tested by older_executable_test.cc, testing/executable_fuzz.cc.
#ifndef EYRIE_HAL_VULKAN_OLDER_EXECUTABLE_H_
#define EYRIE_HAL_VULKAN_OLDER_EXECUTABLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/pipeline_layout.h"

namespace eyrie::hal::vulkan {

// Reports whether the data is such an executable, damaged or not.
bool IsOlderExecutable(std::span<const uint8_t> data);

// Returns the executable in the form of executable.fbs, for ReadExecutable.
// Takes the layout of each entry point, or none: then layouts are made from
// what the shaders use, which describes an executable but may lack bindings
// that dispatches have.
// INVALID_ARGUMENT: the data is damaged, or has other entry points than there
// are layouts. UNIMPLEMENTED: a layout has a second set. RESOURCE_EXHAUSTED:
// the executable is larger than its file, because parts are shared, or exceeds
// a limit of executable_limits.h.
absl::StatusOr<std::vector<uint8_t>> UpgradeExecutable(
    std::span<const uint8_t> data,
    std::span<const Ref<hal::PipelineLayout>> layouts);

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_OLDER_EXECUTABLE_H_
