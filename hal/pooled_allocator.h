// The allocator that all drivers share: blocks in size classes with free lists.
//
// When the last reference to a buffer is dropped, its block and the buffer
// object return to a free list for reuse, up to a share of the memory. They are
// freed after 5 to 10 s without use, or earlier if their sizes do not come
// again. A new buffer reads as zeros, except that an owner may see bytes that
// it wrote earlier (buffers over 1 KiB). No context sees another's bytes.
// Thread-safe; takes one short lock per allocation and per release.
// Tested by cpu/allocator_test.cc, vulkan/allocator_test.cc.
#ifndef EYRIE_HAL_POOLED_ALLOCATOR_H_
#define EYRIE_HAL_POOLED_ALLOCATOR_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/alarm.h"
#include "base/ref.h"
#include "base/short_lock.h"
#include "base/trace.h"
#include "hal/allocator.h"
#include "hal/buffer.h"
#include "hal/types.h"

namespace eyrie::hal {

class PooledAllocator;

// A block of memory and its buffer object. Drivers subclass it; the subclass's
// destructor must free the memory.
class PooledBuffer : public Buffer {
 public:
  size_t capacity() const { return capacity_; }

 protected:
  // `pool` is an index of the allocator's pools; bytes from offset `dirty` on
  // are zeros.
  PooledBuffer(uint8_t* host_data, size_t capacity, size_t pool, size_t dirty)
      : Buffer(BufferParams(), 0, host_data),
        capacity_(capacity),
        pool_(pool),
        dirty_(dirty) {}

  // Called when the last reference to the buffer has been dropped.
  virtual void WillBeIdle() {}

  // Returns the allocator that it returns to; null while it is in a free list.
  PooledAllocator* home() const { return home_.get(); }

 private:
  friend class PooledAllocator;

  void OnLastRef() final;

  const size_t capacity_;
  const size_t pool_;
  // The allocator's own data.
  Ref<PooledAllocator> home_;      // null while in a free list
  PooledBuffer* older_ = nullptr;  // the neighbours in a free list
  PooledBuffer* newer_ = nullptr;
  uint64_t period_ = 0;   // when it became idle
  uint64_t owner_ = 0;    // the last owner that could write
  size_t dirty_;          // bytes from here on are zero
  bool counted_ = false;  // if in the statistics
};

class PooledAllocator : public Allocator {
 public:
  uint64_t Footprint(uint64_t size) const override;
  AllocatorStatistics statistics() const override;
  uint64_t NewOwner() override { return next_owner_.fetch_add(1); }

  // Frees all blocks in the free lists.
  void Trim();

  static constexpr absl::Duration kIdlePeriod = absl::Seconds(5);

 protected:
  struct Options {
    size_t pools = 1;  // kinds of memory, each with its own lists
    // Limit of bytes in the free lists; null: a quarter of TotalMemory().
    std::optional<uint64_t> max_idle;
    uint64_t object_bytes;  // bytes of a block's object
    // Blocks that are idle for a whole period are freed.
    absl::Duration period = kIdlePeriod;
  };
  explicit PooledAllocator(const Options& options);
  ~PooledAllocator() override;

  // Stops freeing blocks by time, and frees all. Destructors of subclasses must
  // call it, since blocks may use what the subclass owns.
  void Close();

  // Fills in default access and usage, and allows mapping and transfers.
  static BufferParams WithDefaults(const BufferParams& params);

  // Allocates a buffer from a pool, cleared as described above. `params` become
  // the buffer's: the request plus the properties of the memory. Fails as
  // CreateBlock, and as MovePaid if memory must be cleared.
  absl::StatusOr<Ref<Buffer>> AllocateFrom(size_t pool,
                                           const BufferParams& params,
                                           uint64_t size);
  // Allocates a buffer as AllocateFrom does, but with any contents, without an
  // owner, and not in the statistics.
  absl::StatusOr<Ref<Buffer>> AllocateScratchFrom(size_t pool,
                                                  const BufferParams& params,
                                                  uint64_t size);

  // Creates a block of `capacity` bytes (at least 1), aligned to at least 64
  // bytes. If that commits pages, `work`, which may be null, pays.
  virtual absl::StatusOr<PooledBuffer*> CreateBlock(size_t pool,
                                                    size_t capacity,
                                                    WorkBudget* work) = 0;
  // Returns the bytes of memory that blocks can come from. Called once, and
  // only if much memory is idle.
  virtual uint64_t TotalMemory() const = 0;
  // Clears bytes of a block that the host cannot see.
  virtual absl::Status ClearUnseen(PooledBuffer& block, uint64_t offset,
                                   uint64_t length);

 private:
  friend class PooledBuffer;

  // There are four size classes per power of two.
  static constexpr size_t kMinBlock = 64;
  // Blocks from this size on are as large as the buffer needs, in pages, and a
  // class has blocks of several sizes.
  static constexpr size_t kExactFrom = size_t{256} << 10;
  static constexpr size_t kPage = 4096;
  // Limit of a block that is kept, and of all idle bytes.
  static constexpr uint64_t kMaxPooled = uint64_t{1} << 40;
  // Idle memory up to this size is kept without asking for the machine's, and
  // for any time.
  static constexpr uint64_t kAlwaysKept = uint64_t{12} << 20;
  // Buffers up to this size are always cleared, because it is cheap.
  static constexpr size_t kAlwaysCleared = 1024;
  // Old blocks are freed in slices, because other alarms wait meanwhile. A
  // slice has this many bytes; a block counts at least kBlockBytes, for the
  // time of its deletion. The next slice follows after a pause.
  static constexpr uint64_t kSliceBytes = uint64_t{16} << 20;
  static constexpr uint64_t kBlockBytes = uint64_t{8} << 10;
  static constexpr absl::Duration kPause = absl::Milliseconds(1);

  // A new block makes idle blocks go if all blocks then take more than the
  // largest number of bytes in use so far and this share of it. So buffers of
  // random sizes do not make the memory grow. But if a new block has the size
  // of one of the last kRegrets blocks that had to go, the program uses these
  // sizes again and again: its size is added to the limit. Other new blocks
  // take this share of their size off the limit again.
  static constexpr uint64_t kSpareShare = 8;
  static constexpr uint64_t kRegretDecay = 4;
  static constexpr size_t kRegrets = 64;
  static constexpr uint64_t kRegretFrom = uint64_t{1} << 20;

  // Idle blocks of one class, in the order in which they became idle.
  class FreeList {
   public:
    PooledBuffer* newest() const { return newest_; }
    PooledBuffer* oldest() const { return oldest_; }
    void Add(PooledBuffer& block);
    void Remove(PooledBuffer& block);

   private:
    PooledBuffer* newest_ = nullptr;
    PooledBuffer* oldest_ = nullptr;
  };

  static size_t ClassOf(size_t size);
  static size_t ClassSize(size_t size_class);
  // Returns the capacity of a new block.
  static size_t BlockSize(size_t size);

  // Takes a block for `size` bytes of `owner` from a free list or from the
  // driver. Counts it in the statistics if `counted`.
  absl::StatusOr<PooledBuffer*> Take(size_t pool, uint64_t size, uint64_t owner,
                                     const BufferParams& params, bool counted);
  // Removes a block, which may be null, from its free list and returns it.
  PooledBuffer* Remove(FreeList& list, PooledBuffer* block);
  // Takes a block of at least `size` bytes from the free lists, one that
  // `owner` used last if the first few have any. Returns null if there is none.
  // The lock must be held.
  PooledBuffer* TakeIdle(size_t pool, uint64_t size, uint64_t owner);
  // Updates regretted_ for a block that is about to be created. The lock must
  // be held.
  void NoteRegret(size_t capacity);
  // Removes an idle block if the blocks would take too much memory with a new
  // one of `capacity` bytes: the oldest of the largest class. Returns null
  // otherwise.
  PooledBuffer* TakeExcess(size_t capacity);
  // Updates peak_. The lock must be held.
  void NotePeak();
  // Removes an idle block that will be deleted. The lock must be held.
  PooledBuffer* RemoveForGood(FreeList& list, PooledBuffer* block);
  // Creates a block; if there is no memory, frees the idle blocks and tries
  // again.
  absl::StatusOr<PooledBuffer*> NewBlock(size_t pool, size_t capacity,
                                         WorkBudget* work);
  // Counts an allocation. The lock must be held.
  void Count(const BufferParams& params, uint64_t size);
  absl::Status Clear(PooledBuffer& block, uint64_t offset, uint64_t length,
                     WorkBudget* work);
  // Clears what the owner in `params` must not see of a block, whose first
  // `size` bytes it gets.
  absl::Status ClearFor(PooledBuffer& block, const BufferParams& params,
                        uint64_t size);
  Ref<Buffer> HandOut(PooledBuffer* block, const BufferParams& params,
                      uint64_t size, uint64_t owner, bool counted);
  // Takes back an unreferenced buffer. It is kept if then at most `max_idle`
  // bytes are idle, or kAlwaysKept if that is more.
  void Recycle(PooledBuffer* buffer, uint64_t max_idle);
  // Adds it to its free list, or deletes it.
  void Release(PooledBuffer* buffer, uint64_t max_idle);
  // Returns the limit of idle bytes for a block of `capacity` bytes.
  uint64_t MaxIdle(size_t capacity);
  // Calls FreeOldBlocks after a time. If that is impossible, frees all now.
  void Arm(absl::Duration time);
  // Frees the blocks that have been idle for a whole period, and arms again if
  // much is left. Called by the alarm.
  void FreeOldBlocks();
  // Frees some of them. Returns false if none are left.
  bool FreeSlice();
  // Deletes an idle block that is in no list.
  static void Delete(PooledBuffer* block);
  // Removes a block of a list of free_ that has been idle for a whole period.
  // Returns null if there is none.
  PooledBuffer* TakeOldBlock(size_t list);
  void TraceChange(trace::Name name, uint64_t size) const;
  MemoryStatistics& StatisticsOf(MemoryType type);

  const Options options_;
  const size_t class_count_;  // per pool
  std::atomic<uint64_t> next_owner_{1};

  std::atomic<uint64_t> max_idle_;  // kAlwaysKept until it is known
  std::atomic<bool> knows_max_idle_;

  mutable ShortLock lock_;      // guards the members up to statistics_
  std::vector<FreeList> free_;  // by pool, then by class
  uint64_t idle_ = 0;           // bytes in free_
  uint64_t total_ = 0;          // bytes of all blocks
  uint64_t peak_ = 0;           // the most bytes in use at once
  uint64_t regretted_ = 0;      // bytes that are added to the limit of total_
  std::array<size_t, kRegrets> gone_ =
      {};  // capacities; the last that had to go
  size_t next_gone_ = 0;
  uint64_t period_ = 0;    // number of the current period
  bool is_armed_ = false;  // alarm_ is set; who sets this may use it
  bool is_closed_ = false;
  AllocatorStatistics statistics_;

  std::unique_ptr<Alarm> alarm_;  // null until it is needed
  // Used by the alarm alone: the list of free_ that the next slice begins with,
  // or the number of lists, if no old blocks are being freed.
  size_t next_list_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_POOLED_ALLOCATOR_H_
