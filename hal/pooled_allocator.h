// Memory in blocks of sized classes, which go back to free lists: the
// allocator that all drivers share. A driver makes the blocks.
//
// A block returns to its free list with the last reference to its buffer, the
// buffer object with it, and is handed out again without going to the system.
// It reads as zeros, but that an owner (BufferParams::owner) may be given back,
// in more than a kilobyte, bytes it left itself: what one context wrote, no
// other ever sees. Thread-safe; one short lock per allocation and per release.
// Tested by tests/devices/memory_rows.cc, cpu/allocator_test.cc,
// vulkan/allocator_test.cc.
#ifndef EYRIE_HAL_POOLED_ALLOCATOR_H_
#define EYRIE_HAL_POOLED_ALLOCATOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "base/short_lock.h"
#include "base/trace.h"
#include "hal/allocator.h"
#include "hal/buffer.h"
#include "hal/types.h"

namespace eyrie::hal {

class PooledAllocator;

// A block, and the buffer that stands for it. Drivers subclass it and free the
// memory in their destructor.
class PooledBuffer : public Buffer {
 public:
  size_t capacity() const { return capacity_; }

 protected:
  // `pool` is one of the allocator's; bytes from `dirty` on are zeros.
  PooledBuffer(uint8_t* host_data, size_t capacity, size_t pool, size_t dirty)
      : Buffer(BufferParams(), 0, host_data),
        capacity_(capacity),
        pool_(pool),
        dirty_(dirty) {}

  // Nobody refers to the buffer any more.
  virtual void WillBeIdle() {}

  // The allocator it goes back to, while it is handed out.
  PooledAllocator* home() const { return home_.get(); }

 private:
  friend class PooledAllocator;

  void OnLastRef() final;

  const size_t capacity_;
  const size_t pool_;
  // Below, what the allocator keeps here.
  Ref<PooledAllocator> home_;     // null while in a free list
  PooledBuffer* next_ = nullptr;  // in a free list
  uint64_t owner_ = 0;            // who has written here last
  size_t dirty_;                  // bytes that may be other than zero
  bool counted_ = false;          // in the statistics
};

class PooledAllocator : public Allocator {
 public:
  uint64_t Footprint(uint64_t size) const override;
  AllocatorStatistics statistics() const override;
  uint64_t NewOwner() override { return next_owner_.fetch_add(1); }

  // Gives what lies idle in the free lists back to the system.
  void Trim();

 protected:
  struct Options {
    size_t pools = 1;       // kinds of memory, whose blocks are kept apart
    size_t max_pooled;      // larger blocks are never kept; up to 4 GiB
    size_t max_idle;        // bytes in the free lists at most
    uint64_t object_bytes;  // what a block takes beside its bytes
  };
  explicit PooledAllocator(const Options& options);
  ~PooledAllocator() override;

  // What a request stands for where memory may be mapped and copied: access
  // and usage that are not given are the common ones.
  static BufferParams WithDefaults(const BufferParams& params);

  // A cleared buffer of a pool, whose params are these: what is asked for,
  // with what the memory has.
  absl::StatusOr<Ref<Buffer>> AllocateFrom(size_t pool,
                                           const BufferParams& params,
                                           uint64_t size);
  // The same with any content, outside statistics, and nobody's.
  absl::StatusOr<Ref<Buffer>> AllocateScratchFrom(size_t pool,
                                                  const BufferParams& params,
                                                  uint64_t size);

  // A block of `capacity` bytes, at least one, aligned to 64 or more.
  virtual absl::StatusOr<PooledBuffer*> CreateBlock(size_t pool,
                                                    size_t capacity) = 0;
  // Makes bytes of a block that the host cannot see zeros.
  virtual absl::Status ClearUnseen(PooledBuffer& block, uint64_t offset,
                                   uint64_t length);

 private:
  friend class PooledBuffer;

  // Blocks come in classes: four per power of two.
  static constexpr size_t kMinBlock = 64;
  // Up to here clearing costs less than what it saves is worth.
  static constexpr size_t kAlwaysCleared = 1024;

  static size_t ClassOf(size_t size);
  static size_t ClassSize(size_t size_class);

  // A block for `size` bytes from a free list or from the driver, counted if
  // `params` are given.
  absl::StatusOr<PooledBuffer*> Take(size_t pool, uint64_t size,
                                     const BufferParams* params);
  // Counts an allocation, if `params` are given; the lock is held.
  void Count(const BufferParams* params, uint64_t size);
  absl::Status Clear(PooledBuffer& block, uint64_t offset, uint64_t length);
  // What a new owner is to see of a block: `size` bytes.
  absl::Status ClearFor(PooledBuffer& block, uint64_t owner, uint64_t size);
  Ref<Buffer> HandOut(PooledBuffer* block, const BufferParams& params,
                      uint64_t size, uint64_t owner, bool counted);
  // Takes a buffer that nobody refers to.
  void Recycle(PooledBuffer* buffer);
  // Puts it among those that are free, or deletes it.
  void Release(PooledBuffer* buffer);
  void TraceChange(trace::Name name, uint64_t size) const;
  MemoryStatistics& StatisticsOf(MemoryType type);

  const Options options_;
  const size_t class_count_;  // of each pool
  std::atomic<uint64_t> next_owner_{1};

  mutable ShortLock lock_;           // guards all below
  std::vector<PooledBuffer*> free_;  // by pool, then by class
  size_t idle_ = 0;                  // bytes in free_
  AllocatorStatistics statistics_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_POOLED_ALLOCATOR_H_
