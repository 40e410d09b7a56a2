#include "hal/pooled_allocator.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status_macros.h"

namespace eyrie::hal {

void PooledBuffer::OnLastRef() {
  charge().Reset();
  WillBeIdle();
  // This may be the last reference to the allocator, which must outlive the
  // call.
  const Ref<PooledAllocator> home = std::move(home_);
  home->Recycle(this);
}

PooledAllocator::PooledAllocator(const Options& options)
    : options_(options),
      class_count_(ClassOf(options.max_pooled) + 1),
      free_(options.pools * class_count_) {}

PooledAllocator::~PooledAllocator() { Trim(); }

void PooledAllocator::Trim() {
  std::vector<PooledBuffer*> idle(options_.pools * class_count_);
  {
    const std::lock_guard<ShortLock> lock(lock_);
    idle.swap(free_);
    idle_ = 0;
  }
  for (PooledBuffer* buffer : idle) {
    while (buffer) delete std::exchange(buffer, buffer->next_);
  }
}

// Class 0 holds sizes up to 64; the next classes up to 80, 96, 112, 128, 160...
size_t PooledAllocator::ClassOf(size_t size) {
  if (size <= kMinBlock) return 0;
  const size_t last = size - 1;
  const size_t exponent = std::bit_width(last) - 1;  // 6 for 65 to 128
  return (exponent - 6) * 4 + ((last >> (exponent - 2)) & 3) + 1;
}

size_t PooledAllocator::ClassSize(size_t size_class) {
  if (size_class == 0) return kMinBlock;
  const size_t exponent = (size_class - 1) / 4 + 6;
  return ((size_class - 1) % 4 + 5) << (exponent - 2);
}

uint64_t PooledAllocator::Footprint(uint64_t size) const {
  const uint64_t block =
      size <= options_.max_pooled ? ClassSize(ClassOf(size)) : size;
  return CheckedAdd(block, options_.object_bytes).value_or(block);
}

MemoryStatistics& PooledAllocator::StatisticsOf(MemoryType type) {
  return (type & memory_type::kHostLocal) == memory_type::kHostLocal
             ? statistics_.host_local
             : statistics_.device_local;
}

void PooledAllocator::Count(const BufferParams* params, uint64_t size) {
  if (params == nullptr) return;
  MemoryStatistics& statistics = StatisticsOf(params->type);
  statistics.allocated += size;
  statistics.peak = std::max(statistics.peak, statistics.live());
}

BufferParams PooledAllocator::WithDefaults(const BufferParams& params) {
  BufferParams full = params;
  full.type &= ~memory_type::kOptimal;
  if (full.access == 0) full.access = memory_access::kAll;
  if (full.usage == 0) full.usage = buffer_usage::kDefault;
  full.usage |= buffer_usage::kMapping | buffer_usage::kTransfer;
  return full;
}

absl::StatusOr<PooledBuffer*> PooledAllocator::Take(
    size_t pool, uint64_t size, const BufferParams* params) {
  const bool pooled = size <= options_.max_pooled;
  const size_t size_class = pooled ? ClassOf(size) : 0;
  if (pooled) {
    const std::lock_guard<ShortLock> lock(lock_);
    PooledBuffer*& first = free_[pool * class_count_ + size_class];
    if (PooledBuffer* const buffer = first) {
      first = buffer->next_;
      idle_ -= buffer->capacity_;
      Count(params, size);
      buffer->ResetRef();
      return buffer;
    }
  }
  ASSIGN_OR_RETURN(PooledBuffer* const made,
                   CreateBlock(pool, pooled ? ClassSize(size_class) : size));
  const std::lock_guard<ShortLock> lock(lock_);
  Count(params, size);
  return made;
}

absl::Status PooledAllocator::Clear(PooledBuffer& block, uint64_t offset,
                                    uint64_t length) {
  if (length == 0) return absl::OkStatus();
  if (block.host_data() == nullptr) return ClearUnseen(block, offset, length);
  std::memset(block.host_data() + offset, 0, length);
  return absl::OkStatus();
}

absl::Status PooledAllocator::ClearFor(PooledBuffer& block, uint64_t owner,
                                       uint64_t size) {
  const uint64_t dirty = block.dirty_;
  // An owner may see its own bytes if clearing them is expensive. Other owners'
  // bytes are always cleared.
  if (owner == 0 || owner != block.owner_ || size <= kAlwaysCleared) {
    RETURN_IF_ERROR(Clear(block, 0, std::min(dirty, size)));
  }
  if (owner != block.owner_ && dirty > size) {
    // Clear the rest, too: the new owner may reuse the block for a longer
    // buffer.
    RETURN_IF_ERROR(Clear(block, size, dirty - size));
    block.dirty_ = size;
  }
  return absl::OkStatus();
}

Ref<Buffer> PooledAllocator::HandOut(PooledBuffer* block,
                                     const BufferParams& params, uint64_t size,
                                     uint64_t owner, bool counted) {
  block->owner_ = owner;
  block->counted_ = counted;
  block->Reset(params, size);
  block->home_ = Ref<PooledAllocator>::Share(this);
  return Ref<Buffer>::Adopt(block);
}

absl::StatusOr<Ref<Buffer>> PooledAllocator::AllocateFrom(
    size_t pool, const BufferParams& params, uint64_t size) {
  ASSIGN_OR_RETURN(PooledBuffer * block, Take(pool, size, &params));
  const absl::Status cleared = ClearFor(*block, params.owner, size);
  block->dirty_ = std::max<size_t>(block->dirty_, size);
  Ref<Buffer> buffer = HandOut(block, params, size, params.owner, true);
  RETURN_IF_ERROR(cleared);
  if (trace::IsRecording(trace::kEvents)) [[unlikely]]
    TraceChange(trace::Name::kAllocate, size);
  return buffer;
}

absl::StatusOr<Ref<Buffer>> PooledAllocator::AllocateScratchFrom(
    size_t pool, const BufferParams& params, uint64_t size) {
  ASSIGN_OR_RETURN(PooledBuffer * block, Take(pool, size, nullptr));
  block->dirty_ = block->capacity_;
  return HandOut(block, params, size, 0, false);
}

absl::Status PooledAllocator::ClearUnseen(PooledBuffer&, uint64_t, uint64_t) {
  return absl::InternalError("Cannot clear memory that the host cannot see.");
}

void PooledAllocator::TraceChange(trace::Name name, uint64_t size) const {
  const AllocatorStatistics now = statistics();
  trace::Instant(trace::Category::kMemory, name, size);
  trace::Counter(trace::Name::kDeviceMemory,
                 now.host_local.live() + now.device_local.live());
}

void PooledAllocator::Recycle(PooledBuffer* buffer) {
  const bool counted = buffer->counted_;
  const uint64_t size = buffer->byte_length();
  Release(buffer);
  if (counted && trace::IsRecording(trace::kEvents)) [[unlikely]]
    TraceChange(trace::Name::kFree, size);
}

void PooledAllocator::Release(PooledBuffer* buffer) {
  {
    const std::lock_guard<ShortLock> lock(lock_);
    if (buffer->counted_) {
      StatisticsOf(buffer->memory_type()).freed += buffer->byte_length();
    }
    const size_t capacity = buffer->capacity_;
    if (capacity <= options_.max_pooled &&
        idle_ + capacity <= options_.max_idle) {
      PooledBuffer*& first =
          free_[buffer->pool_ * class_count_ + ClassOf(capacity)];
      buffer->next_ = first;
      first = buffer;
      idle_ += capacity;
      return;
    }
  }
  delete buffer;
}

AllocatorStatistics PooledAllocator::statistics() const {
  const std::lock_guard<ShortLock> lock(lock_);
  return statistics_;
}

}  // namespace eyrie::hal
