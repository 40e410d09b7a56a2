// Allocates the memory of a Vulkan device from pools over a few large blocks.
//
// There are two pools: device memory, which the host can access if it is shared
// or fully mappable, and host memory, which both can access. A buffer that is
// too large for a pool gets its own block. Thread-safe.
// Tested by allocator_test.cc.
#ifndef EYRIE_HAL_VULKAN_ALLOCATOR_H_
#define EYRIE_HAL_VULKAN_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/pooled_allocator.h"
#include "hal/vulkan/buffer.h"
#include "hal/vulkan/external_memory.h"
#include "hal/vulkan/logical_device.h"
#include "hal/vulkan/memory_block.h"

namespace eyrie::hal::vulkan {

// Transfers on the device that block the caller until they are complete.
class ImmediateTransfers {
 public:
  virtual ~ImmediateTransfers() = default;
  virtual absl::Status Copy(const DeviceRange& source, uint64_t source_offset,
                            const DeviceRange& target, uint64_t target_offset,
                            uint64_t length) = 0;
  // `offset` and `length` must be multiples of 4.
  virtual absl::Status Clear(const DeviceRange& target, uint64_t offset,
                             uint64_t length) = 0;
};

class Allocator final : public StagingAllocator {
 public:
  // Creates an allocator. FAILED_PRECONDITION: the device has no memory that
  // the host can access.
  static absl::StatusOr<Ref<Allocator>> Create(
      std::shared_ptr<LogicalDevice> device,
      std::shared_ptr<ImmediateTransfers> transfers);

  absl::StatusOr<Ref<hal::Buffer>> Allocate(const BufferParams& params,
                                            uint64_t size) override;
  absl::StatusOr<Ref<hal::Buffer>> ImportHost(
      const BufferParams& params, std::span<uint8_t> bytes,
      std::function<void()> release) override;
  absl::StatusOr<Ref<hal::Buffer>> AllocateExternal(
      const BufferParams& params, uint64_t size,
      ExternalMemory& memory) override {
    return ExportBuffer(device_, params, size, memory);
  }
  absl::StatusOr<Ref<hal::Buffer>> ImportExternal(
      const BufferParams& params, uint64_t size,
      const ExternalMemory& memory) override {
    return ImportBuffer(device_, params, size, memory);
  }
  bool CanUse(const hal::Buffer& buffer) const override;

  absl::StatusOr<Ref<hal::Buffer>> AllocateStaging(uint64_t size) override;
  absl::Status CopyNow(const hal::Buffer& source, uint64_t source_offset,
                       const hal::Buffer& target, uint64_t target_offset,
                       uint64_t length) override;

  // Returns the total size of the blocks that small buffers share, whether or
  // not buffers use them.
  uint64_t SharedBytes();

  // Reports whether the host can access the device's own memory.
  bool sees_device_memory() const { return pools_[kDevice].is_seen; }

 private:
  enum Kind : size_t { kDevice, kHost, kKinds };
  struct Pool {
    uint32_t memory_type = 0;
    uint32_t heap = 0;
    bool is_seen = false;
    MemoryType type = 0;  // in the HAL's terms
    // Both guarded by mutex_. Buffers own the blocks that contain them;
    // `newest` keeps the last block alive for later allocations.
    std::vector<std::weak_ptr<MemoryBlock>> blocks;
    std::shared_ptr<MemoryBlock> newest;
  };

  Allocator(std::shared_ptr<LogicalDevice> device,
            std::shared_ptr<ImmediateTransfers> transfers);
  absl::Status ChooseTypes();

  // Completes a request's parameters and returns the pool that serves it.
  Kind Resolve(BufferParams& params) const;
  absl::StatusOr<PooledBuffer*> CreateBlock(size_t kind, size_t capacity,
                                            WorkBudget* work) override;
  uint64_t TotalMemory() const override;
  absl::Status ClearUnseen(PooledBuffer& block, uint64_t offset,
                           uint64_t length) override;
  // Allocates from an existing block with room, or from a new one.
  absl::StatusOr<PooledBuffer*> TakeFromBlocks(size_t kind, uint64_t size,
                                               size_t capacity);
  static PooledBuffer* TakeFrom(std::shared_ptr<MemoryBlock> block, size_t kind,
                                uint64_t size, size_t capacity);
  absl::StatusOr<std::shared_ptr<MemoryBlock>> NewBlock(const Pool& pool,
                                                        uint64_t size);
  // Creates a block of `wanted` bytes. If that fails, tries smaller sizes down
  // to `least`. Both must be multiples of the granularity.
  absl::StatusOr<std::shared_ptr<MemoryBlock>> NewBlockOf(const Pool& pool,
                                                          uint64_t wanted,
                                                          uint64_t least);
  absl::Status Exhausted(const Pool& pool, uint64_t size) const;
  // Frees idle buffers and blocks.
  void TrimBlocks();

  const std::shared_ptr<LogicalDevice> device_;
  const std::shared_ptr<ImmediateTransfers> transfers_;
  const uint64_t granularity_;  // of offsets and capacities, in bytes
  Pool pools_[kKinds];
  std::mutex mutex_;
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_ALLOCATOR_H_
