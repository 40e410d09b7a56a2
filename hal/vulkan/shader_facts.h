// Describes a shader executable without running it.
// Tested by abi/call/describe_executable_test.cc.
#ifndef EYRIE_HAL_VULKAN_SHADER_FACTS_H_
#define EYRIE_HAL_VULKAN_SHADER_FACTS_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "hal/executable_facts.h"

namespace eyrie::hal::vulkan {

// Returns the same errors as ReadExecutable.
absl::StatusOr<ExecutableFacts> DescribeShaders(std::span<const uint8_t> data);

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_SHADER_FACTS_H_
