// The CPU driver's allocator: host memory from a pool of sized blocks.
//
// Thread-safe.
// Tested by allocator_test.cc.
#ifndef EYRIE_HAL_CPU_ALLOCATOR_H_
#define EYRIE_HAL_CPU_ALLOCATOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/ref.h"
#include "hal/host_memory.h"
#include "hal/pooled_allocator.h"

namespace eyrie::hal::cpu {

class Allocator final : public PooledAllocator {
 public:
  // Allocates blocks from `memory`, or from the system if it is null. Idle
  // memory is at most `max_idle` bytes; by default, a quarter of the memory
  // that this process may use. Blocks that are idle for a whole `period` are
  // freed.
  explicit Allocator(std::shared_ptr<HostMemory> memory,
                     std::optional<uint64_t> max_idle = std::nullopt,
                     absl::Duration period = kIdlePeriod);
  ~Allocator() override { Close(); }

  absl::StatusOr<Ref<hal::Buffer>> Allocate(const BufferParams& params,
                                            uint64_t size) override;
  absl::StatusOr<Ref<hal::Buffer>> ImportHost(
      const BufferParams& params, std::span<uint8_t> bytes,
      std::function<void()> release) override;
  // Returns true for any host-coherent buffer that this process can address,
  // whichever driver created it. HostMemory::CanUse may permit less.
  bool CanUse(const hal::Buffer& buffer) const override;
  AllocatorStatistics statistics() const override;

  // Returns uninitialized scratch memory of at least `size` bytes, which the
  // statistics do not count. `memory` is charged for it, and `work` pays if its
  // pages are committed; both may be null.
  absl::StatusOr<Ref<hal::Buffer>> AllocateScratch(
      uint64_t size, const std::shared_ptr<MemoryMeter>& memory,
      WorkBudget* work);

 private:
  // Returns the parameters of the buffer that a request gets.
  static BufferParams Resolve(const BufferParams& params);
  absl::StatusOr<PooledBuffer*> CreateBlock(size_t pool, size_t capacity,
                                            WorkBudget* work) override;
  uint64_t TotalMemory() const override;

  // Creates a block of memory_. RESOURCE_EXHAUSTED: memory_ has no memory.
  // FAILED_PRECONDITION: its memory is not aligned.
  absl::StatusOr<PooledBuffer*> CreateHostBlock(size_t capacity,
                                                WorkBudget* work);

  const std::shared_ptr<HostMemory> memory_;  // null: the system's memory
  // Memory that memory_ did not permit to import, and callers copy.
  std::atomic<uint64_t> refused_arrays_{0};
  std::atomic<uint64_t> refused_bytes_{0};
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_ALLOCATOR_H_
