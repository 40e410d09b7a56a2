// A large block of device memory that tracks its free ranges.
//
// One VkBuffer spans the block. HAL buffers are ranges of it, so that creating
// one calls no Vulkan function. Thread-safe.
// Tested by allocator_test.cc.
#ifndef EYRIE_HAL_VULKAN_MEMORY_BLOCK_H_
#define EYRIE_HAL_VULKAN_MEMORY_BLOCK_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "base/descriptor.h"
#include "hal/vulkan/logical_device.h"

namespace eyrie::hal::vulkan {

// A range of bytes that commands can refer to.
struct DeviceRange {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
  uint64_t capacity = 0;        // bytes from `offset`; a multiple of 4
  VkDeviceAddress address = 0;  // of `offset`; 0: not supported
  uint64_t serial = 0;          // of the block; never reused
};

// Returns the alignment of buffers in blocks and of the blocks' sizes, in
// bytes: a power of two.
uint64_t Granularity(const LogicalDevice& device);

// Returns the memory type among the bits `types` that has all `required` flags
// and the most of `wanted`, or -1.
int FindMemoryType(const VkPhysicalDeviceMemoryProperties& memory,
                   uint32_t types, VkMemoryPropertyFlags required,
                   VkMemoryPropertyFlags wanted);

// How memory is shared with other users of Vulkan.
struct ExternalUse {
  VkExternalMemoryHandleTypeFlagBits handle = {};
  bool is_dedicated = false;  // the driver wants one buffer per memory
  Descriptor descriptor;      // of memory to import; none: allocate it
  uint32_t memory_type = 0;   // of opaque memory
  uint64_t size = 0;          // of the memory
};

class MemoryBlock {
 public:
  // Returns the usage of the blocks' Vulkan buffers.
  static VkBufferUsageFlags UsageOn(const LogicalDevice& device);
  // Allocates `size` bytes of a memory type and maps them if `map`.
  // RESOURCE_EXHAUSTED: the driver is out of memory.
  static absl::StatusOr<std::shared_ptr<MemoryBlock>> Create(
      std::shared_ptr<LogicalDevice> device, uint32_t memory_type,
      uint64_t size, bool map);
  // Imports whole pages of host memory without a copy. `pages` must outlive the
  // block. UNAVAILABLE: the device cannot import this memory.
  static absl::StatusOr<std::shared_ptr<MemoryBlock>> Import(
      std::shared_ptr<LogicalDevice> device, std::span<uint8_t> pages);
  // Allocates memory that can be exported, or imports memory; see ExternalUse.
  // The block has its first `size` bytes, and maps them. Sets the type and size
  // of memory that it allocates in `use`, and takes its descriptor. `flags` are
  // those that the memory type must have. UNIMPLEMENTED: no type of the memory
  // has them. INVALID_ARGUMENT: the driver refuses the import.
  static absl::StatusOr<std::shared_ptr<MemoryBlock>> CreateExternal(
      std::shared_ptr<LogicalDevice> device, uint64_t size, ExternalUse& use,
      VkMemoryPropertyFlags flags);
  // Returns a new descriptor of the memory.
  absl::StatusOr<Descriptor> Export(const ExternalUse& use) const;
  MemoryBlock(const MemoryBlock&) = delete;
  MemoryBlock& operator=(const MemoryBlock&) = delete;
  ~MemoryBlock();

  uint64_t size() const { return size_; }
  uint8_t* host() const { return host_; }  // null if not mapped
  const LogicalDevice& device() const { return *device_; }
  DeviceRange Range(uint64_t offset, uint64_t capacity) const;

  // Reserves `size` contiguous bytes and returns their offset, or nullopt if no
  // free range is large enough.
  std::optional<uint64_t> Take(uint64_t size);
  void Give(uint64_t offset, uint64_t size);

 private:
  MemoryBlock(std::shared_ptr<LogicalDevice> device, uint64_t size);
  absl::Status CreateBuffer(const void* next);
  absl::Status Bind(const VkMemoryAllocateInfo& info);
  absl::Status BindExternal(ExternalUse& use);
  absl::Status MapAll();
  // Returns the memory types that external memory may have.
  absl::StatusOr<uint32_t> ExternalTypes(const ExternalUse& use) const;

  const std::shared_ptr<LogicalDevice> device_;
  const uint64_t size_;
  const uint64_t serial_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkDeviceAddress address_ = 0;
  uint8_t* host_ = nullptr;

  std::mutex mutex_;
  std::map<uint64_t, uint64_t> free_;  // offset to length; guarded by mutex_
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_MEMORY_BLOCK_H_
