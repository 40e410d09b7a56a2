// The CPU driver's allocator: host memory from a pool of sized blocks.
//
// A block returns to its free list with the last reference to its buffer, and
// is handed out again without going to the system. Memory reads as zeros,
// except that an owner (BufferParams::owner) may be given back, in a buffer of
// more than a kilobyte, the bytes it left itself: what one context wrote, no
// other ever sees.
// Thread-safe; one short lock per allocation and per release.
// Tested by allocator_test.cc.
#ifndef EYRIE_HAL_CPU_ALLOCATOR_H_
#define EYRIE_HAL_CPU_ALLOCATOR_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "base/trace.h"
#include "hal/allocator.h"
#include "hal/cpu/buffer.h"

namespace eyrie::hal::cpu {

class Allocator final : public hal::Allocator {
 public:
  Allocator();

  absl::StatusOr<Ref<hal::Buffer>> Allocate(const BufferParams& params,
                                            uint64_t size) override;
  absl::StatusOr<Ref<hal::Buffer>> ImportHost(
      const BufferParams& params, std::span<uint8_t> bytes,
      std::function<void()> release) override;
  uint64_t Footprint(uint64_t size) const override;
  // True of all that this process can address, by whomever it was made.
  bool CanUse(const hal::Buffer& buffer) const override;
  AllocatorStatistics statistics() const override;
  uint64_t NewOwner() override { return next_owner_.fetch_add(1); }

  // Scratch of at least `size` bytes with any content, outside statistics.
  absl::StatusOr<Ref<hal::Buffer>> AllocateScratch(uint64_t size);

 protected:
  ~Allocator() override;

 private:
  friend class PooledBuffer;

  // Blocks up to kMaxPooled bytes come in classes: four per power of two.
  static constexpr size_t kMinBlock = 64;
  static constexpr size_t kMaxPooled = size_t{4} << 20;
  static constexpr size_t kClassCount = 16 * 4 + 1;
  // No more than this lies idle in the free lists.
  static constexpr size_t kMaxIdle = size_t{12} << 20;
  // Blocks of this size and more are mappings of their own.
  static constexpr size_t kMapThreshold = size_t{256} << 10;

  // Up to here clearing costs less than what it saves is worth.
  static constexpr size_t kAlwaysCleared = 1024;

  static size_t ClassOf(size_t size);
  static size_t ClassSize(size_t size_class);

  // A block for `size` bytes from a free list or from the system, counted if
  // `params` are given.
  absl::StatusOr<PooledBuffer*> Take(uint64_t size, const BufferParams* params);
  absl::Status Exhausted(uint64_t size) const;
  // Takes a buffer that nobody refers to.
  void Recycle(PooledBuffer* buffer);
  // Puts it among those that are free, or deletes it.
  void Release(PooledBuffer* buffer);
  void TraceChange(trace::Name name, uint64_t size) const;
  MemoryStatistics& StatisticsOf(MemoryType type);

  const uint64_t machine_memory_;  // bytes
  std::atomic<uint64_t> next_owner_{1};

  mutable std::mutex mutex_;  // guards all below
  std::array<PooledBuffer*, kClassCount> free_ = {};
  size_t idle_ = 0;  // bytes in free_
  AllocatorStatistics statistics_;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_ALLOCATOR_H_
