// Device memory that other users of Vulkan share by file descriptors.
//
// Tested by tests/integration/vulkan_sharing_test.cc.
#ifndef EYRIE_HAL_VULKAN_EXTERNAL_MEMORY_H_
#define EYRIE_HAL_VULKAN_EXTERNAL_MEMORY_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/allocator.h"
#include "hal/buffer.h"
#include "hal/vulkan/logical_device.h"

namespace eyrie::hal::vulkan {

// Allocates memory of its own for a buffer and exports it. `memory` receives
// its description and a new descriptor. The memory is zeros, and visible to the
// host. UNIMPLEMENTED: the driver cannot export memory of this kind.
// RESOURCE_EXHAUSTED: no memory.
absl::StatusOr<Ref<hal::Buffer>> ExportBuffer(
    const std::shared_ptr<LogicalDevice>& device, const BufferParams& params,
    uint64_t size, ExternalMemory& memory);

// Creates a buffer of `size` bytes over imported memory. Duplicates the
// descriptor. UNIMPLEMENTED: the driver cannot import memory of
// this kind, or the host cannot see the memory. INVALID_ARGUMENT: the
// description is not valid, or the driver refuses the memory.
absl::StatusOr<Ref<hal::Buffer>> ImportBuffer(
    const std::shared_ptr<LogicalDevice>& device, const BufferParams& params,
    uint64_t size, const ExternalMemory& memory);

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_EXTERNAL_MEMORY_H_
