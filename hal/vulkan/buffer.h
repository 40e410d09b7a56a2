// Buffers of a Vulkan device: ranges of its memory blocks, and imported host
// memory.
//
// If the host cannot access the memory, Map copies it to memory that the host
// can access, and Unmap copies it back. Thread-safe.
// Tested by allocator_test.cc.
#ifndef EYRIE_HAL_VULKAN_BUFFER_H_
#define EYRIE_HAL_VULKAN_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/pooled_allocator.h"
#include "hal/vulkan/memory_block.h"

namespace eyrie::hal::vulkan {

// An allocator whose buffers can be mapped through copies in host memory.
class StagingAllocator : public PooledAllocator {
 public:
  using PooledAllocator::PooledAllocator;

  // Allocates host memory for internal use. The contents are undefined, and the
  // allocation is not counted in statistics.
  virtual absl::StatusOr<Ref<hal::Buffer>> AllocateStaging(uint64_t size) = 0;
  // Copies between two buffers of this device and waits for the end. Offsets
  // are relative to the allocations.
  virtual absl::Status CopyNow(const hal::Buffer& source,
                               uint64_t source_offset,
                               const hal::Buffer& target,
                               uint64_t target_offset, uint64_t length) = 0;
};

// Returns the range that a buffer occupies, or nullptr if the buffer belongs to
// another device.
inline const DeviceRange* RangeOf(const LogicalDevice& device,
                                  const hal::Buffer& buffer) {
  return static_cast<const DeviceRange*>(
      buffer.allocation().DriverData(&device));
}

class Buffer final : public PooledBuffer {
 public:
  // `taken` bytes of the block are reserved at `offset`; the buffer uses the
  // first `capacity` of them.
  Buffer(std::shared_ptr<MemoryBlock> block, uint64_t offset, uint64_t taken,
         size_t capacity, size_t pool);
  ~Buffer() override;

  const void* DriverData(const void* tag) const override {
    return tag == &block_->device() ? &range_ : nullptr;
  }

 private:
  // A host-visible copy of a mapped range, shared by all maps of exactly this
  // range.
  struct Copy {
    uint64_t offset;
    uint64_t length;
    int maps;
    bool is_written;
    Ref<hal::Buffer> staging;
  };

  // Counts a map of a range. Returns the range's copy as it was before the
  // call; its `maps` is 0 if it is new.
  absl::StatusOr<Copy> TakePart(uint64_t offset, uint64_t length,
                                bool is_written);
  absl::StatusOr<std::span<uint8_t>> MapCopy(MemoryAccess access,
                                             uint64_t offset,
                                             uint64_t length) override;
  absl::Status UnmapCopy(uint64_t offset, uint64_t length) override;
  void WillBeIdle() override;

  const std::shared_ptr<MemoryBlock> block_;
  const DeviceRange range_;
  std::mutex mutex_;
  std::vector<Copy> copies_;  // guarded by mutex_
};

// Imported host memory. `release` is called when it is no longer used.
class ImportedBuffer final : public hal::Buffer {
 public:
  // `bytes` must lie within the pages of the block.
  ImportedBuffer(const BufferParams& params, std::shared_ptr<MemoryBlock> block,
                 std::span<uint8_t> bytes, std::function<void()> release);
  ~ImportedBuffer() override;

  const void* DriverData(const void* tag) const override {
    return tag == &block_->device() ? &range_ : nullptr;
  }

 private:
  std::shared_ptr<MemoryBlock> block_;
  const DeviceRange range_;
  std::function<void()> release_;
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_BUFFER_H_
