// A Vulkan device's allocator: pools over few large blocks.
//
// Two kinds of memory: the device's own, which the host sees where there is
// such memory (one that is shared, or a window over all of it), and the
// host's, which both see. What is large has a block of its own.
// Thread-safe.
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
#include "hal/vulkan/logical_device.h"
#include "hal/vulkan/memory_block.h"

namespace eyrie::hal::vulkan {

// Moves bytes on the device while the caller waits.
class ImmediateTransfers {
 public:
  virtual ~ImmediateTransfers() = default;
  virtual absl::Status Copy(const DeviceRange& source, uint64_t source_offset,
                            const DeviceRange& target, uint64_t target_offset,
                            uint64_t length) = 0;
  // Offset and length are multiples of 4.
  virtual absl::Status Clear(const DeviceRange& target, uint64_t offset,
                             uint64_t length) = 0;
};

class Allocator final : public PooledAllocator {
 public:
  // FAILED_PRECONDITION: the device has no memory that can be used.
  static absl::StatusOr<Ref<Allocator>> Create(
      std::shared_ptr<LogicalDevice> device,
      std::shared_ptr<ImmediateTransfers> transfers);

  absl::StatusOr<Ref<hal::Buffer>> Allocate(const BufferParams& params,
                                            uint64_t size) override;
  absl::StatusOr<Ref<hal::Buffer>> ImportHost(
      const BufferParams& params, std::span<uint8_t> bytes,
      std::function<void()> release) override;
  bool CanUse(const hal::Buffer& buffer) const override;

  // Memory of the host's with any content, outside statistics.
  absl::StatusOr<Ref<hal::Buffer>> AllocateStaging(uint64_t size);
  // Copies between buffers of the device; offsets are of the allocations.
  absl::Status CopyNow(const hal::Buffer& source, uint64_t source_offset,
                       const hal::Buffer& target, uint64_t target_offset,
                       uint64_t length);

  // Bytes of the blocks that small buffers share, in use or not.
  uint64_t SharedBytes();

  // True if the host sees the device's own memory.
  bool sees_device_memory() const { return pools_[kDevice].is_seen; }

 private:
  enum Kind : size_t { kDevice, kHost, kKinds };
  struct Pool {
    uint32_t memory_type = 0;
    uint32_t heap = 0;
    bool is_seen = false;
    MemoryType type = 0;  // as the HAL says it
    // Below, guarded by mutex_. Buffers own the blocks that they lie in, and
    // the newest stays for those to come.
    std::vector<std::weak_ptr<MemoryBlock>> blocks;
    std::shared_ptr<MemoryBlock> newest;
  };

  Allocator(std::shared_ptr<LogicalDevice> device,
            std::shared_ptr<ImmediateTransfers> transfers);
  absl::Status ChooseTypes();

  // What a request stands for, and where it is served.
  Kind Resolve(BufferParams& params) const;
  absl::StatusOr<PooledBuffer*> CreateBlock(size_t kind,
                                            size_t capacity) override;
  absl::Status ClearUnseen(PooledBuffer& block, uint64_t offset,
                           uint64_t length) override;
  // A buffer in a block that has room, or in a new one.
  absl::StatusOr<PooledBuffer*> TakeFromBlocks(size_t kind, uint64_t size,
                                               size_t capacity);
  static PooledBuffer* TakeFrom(std::shared_ptr<MemoryBlock> block, size_t kind,
                                uint64_t size, size_t capacity);
  absl::StatusOr<std::shared_ptr<MemoryBlock>> NewBlock(const Pool& pool,
                                                        uint64_t size);
  // One of `wanted` bytes or, where that cannot be had, of fewer, down to
  // `least`; both are multiples of the granularity.
  absl::StatusOr<std::shared_ptr<MemoryBlock>> NewBlockOf(const Pool& pool,
                                                          uint64_t wanted,
                                                          uint64_t least);
  absl::Status Exhausted(const Pool& pool, uint64_t size) const;
  // Gives back what is idle.
  void TrimBlocks();

  const std::shared_ptr<LogicalDevice> device_;
  const std::shared_ptr<ImmediateTransfers> transfers_;
  const uint64_t granularity_;  // of offsets and capacities, bytes
  Pool pools_[kKinds];
  std::mutex mutex_;
};

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_ALLOCATOR_H_
