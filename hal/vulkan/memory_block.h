// A large piece of a device's memory, and the ranges of it that are free.
//
// One VkBuffer spans it, so that buffers of the HAL are ranges of it: they
// cost no call of Vulkan. Thread-safe.
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
#include "hal/vulkan/logical_device.h"

namespace eyrie::hal::vulkan {

// Bytes that commands can name.
struct DeviceRange {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
  uint64_t capacity = 0;        // from `offset` on; a multiple of 4
  VkDeviceAddress address = 0;  // of `offset`; 0: the device has none
  uint64_t serial = 0;          // of the block; never used again
};

class MemoryBlock {
 public:
  // `size` bytes of a memory type, mapped if `map`. RESOURCE_EXHAUSTED: as the
  // driver says.
  static absl::StatusOr<std::shared_ptr<MemoryBlock>> Create(
      std::shared_ptr<LogicalDevice> device, uint32_t memory_type,
      uint64_t size, bool map);
  // Memory of the host's, whole pages, not copied. UNAVAILABLE: this memory
  // cannot be imported.
  static absl::StatusOr<std::shared_ptr<MemoryBlock>> Import(
      std::shared_ptr<LogicalDevice> device, std::span<uint8_t> pages);
  MemoryBlock(const MemoryBlock&) = delete;
  MemoryBlock& operator=(const MemoryBlock&) = delete;
  ~MemoryBlock();

  uint64_t size() const { return size_; }
  uint8_t* host() const { return host_; }  // null: not mapped
  const LogicalDevice& device() const { return *device_; }
  DeviceRange Range(uint64_t offset, uint64_t capacity) const;

  // The offset of `size` free bytes, taken; nullopt: there are none together.
  std::optional<uint64_t> Take(uint64_t size);
  void Give(uint64_t offset, uint64_t size);

 private:
  MemoryBlock(std::shared_ptr<LogicalDevice> device, uint64_t size);
  absl::Status CreateBuffer(const void* next);
  absl::Status Bind(const VkMemoryAllocateInfo& info);

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
