#include "hal/pooled_allocator.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/deadline.h"
#include "base/sanitized.h"
#include "base/status_macros.h"
#include "hal/paid_transfer.h"

namespace eyrie::hal {
namespace {

constexpr uint64_t kIdleShare = 4;
// A block may be larger than the buffer by this share of the buffer, and the
// buffers of a context with a limit leave at most this share of it idle. So the
// memory that a context causes to be used is at most 1.25 times its limit.
constexpr uint64_t kSlackShare = 8;
// How many blocks of a free list are looked at for the best one.
constexpr int kMaxTries = 8;
constexpr absl::string_view kClearing = "clearing of memory";

// Buffers that are idle must not be used: AddressSanitizer reports it.
void Forbid(const PooledBuffer& block) {
  if (block.host_data() == nullptr) return;
  PoisonMemory(block.host_data(), block.capacity());
}
void Permit(const PooledBuffer& block) {
  if (block.host_data() == nullptr) return;
  UnpoisonMemory(block.host_data(), block.capacity());
}

}  // namespace

void PooledBuffer::OnLastRef() {
  const auto& meter = charge().meter();
  const uint64_t max_idle =
      meter == nullptr ? ~uint64_t{0} : meter->limit() / kSlackShare;
  charge().Reset();
  WillBeIdle();
  // This may be the last reference to the allocator, which must outlive the
  // call.
  const Ref<PooledAllocator> home = std::move(home_);
  home->Recycle(this, max_idle);
}

PooledAllocator::PooledAllocator(const Options& options)
    : options_(options),
      class_count_(ClassOf(kMaxPooled) + 1),
      max_idle_(std::min(options.max_idle.value_or(kAlwaysKept), kMaxPooled)),
      knows_max_idle_(options.max_idle.has_value()),
      free_(options.pools * class_count_),
      next_list_(free_.size()) {}

PooledAllocator::~PooledAllocator() { Close(); }

void PooledAllocator::Close() {
  {
    const std::lock_guard<ShortLock> lock(lock_);
    is_closed_ = true;  // FreeOldBlocks sets the alarm no more
  }
  if (alarm_ != nullptr) {
    alarm_->Stop();
    alarm_->Stop();  // waits for a callback that had set it again
  }
  Trim();
}

void PooledAllocator::FreeList::Add(PooledBuffer& block) {
  block.older_ = newest_;
  block.newer_ = nullptr;
  (newest_ == nullptr ? oldest_ : newest_->newer_) = &block;
  newest_ = &block;
}

void PooledAllocator::FreeList::Remove(PooledBuffer& block) {
  (block.newer_ == nullptr ? newest_ : block.newer_->older_) = block.older_;
  (block.older_ == nullptr ? oldest_ : block.older_->newer_) = block.newer_;
}

void PooledAllocator::Delete(PooledBuffer* block) {
  Permit(*block);
  delete block;
}

void PooledAllocator::Trim() {
  std::vector<FreeList> idle(options_.pools * class_count_);
  {
    const std::lock_guard<ShortLock> lock(lock_);
    idle.swap(free_);
    total_ -= std::exchange(idle_, 0);
  }
  for (const FreeList& list : idle) {
    for (PooledBuffer* block = list.newest(); block != nullptr;) {
      Delete(std::exchange(block, block->older_));
    }
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

size_t PooledAllocator::BlockSize(size_t size) {
  if (size < kExactFrom) return ClassSize(ClassOf(size));
  return size <= kMaxPooled ? (size + kPage - 1) & ~(kPage - 1) : size;
}

uint64_t PooledAllocator::Footprint(uint64_t size) const {
  const uint64_t block = BlockSize(size);
  return CheckedAdd(block, options_.object_bytes).value_or(block);
}

MemoryStatistics& PooledAllocator::StatisticsOf(MemoryType type) {
  return (type & memory_type::kHostLocal) == memory_type::kHostLocal
             ? statistics_.host_local
             : statistics_.device_local;
}

void PooledAllocator::Count(const BufferParams& params, uint64_t size) {
  MemoryStatistics& statistics = StatisticsOf(params.type);
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

PooledBuffer* PooledAllocator::Remove(FreeList& list, PooledBuffer* block) {
  if (block == nullptr) return nullptr;
  list.Remove(*block);
  idle_ -= block->capacity_;
  return block;
}

PooledBuffer* PooledAllocator::RemoveForGood(FreeList& list,
                                             PooledBuffer* block) {
  total_ -= block->capacity_;
  return Remove(list, block);
}

void PooledAllocator::NotePeak() { peak_ = std::max(peak_, total_ - idle_); }

void PooledAllocator::NoteRegret(size_t capacity) {
  if (capacity < kRegretFrom) return;
  const auto found = std::find(gone_.begin(), gone_.end(), capacity);
  if (found == gone_.end()) {
    regretted_ -= std::min<uint64_t>(regretted_, capacity / kRegretDecay);
  } else {
    *found = 0;
    regretted_ += capacity;
  }
}

PooledBuffer* PooledAllocator::TakeExcess(size_t capacity) {
  const std::lock_guard<ShortLock> lock(lock_);
  const uint64_t total = total_ + capacity;
  const uint64_t most = std::max(peak_, total - idle_);
  const uint64_t spare = std::max(most / kSpareShare, kAlwaysKept);
  if (total <= most + spare + regretted_) [[likely]]
    return nullptr;
  for (size_t i = free_.size(); i-- > 0;) {
    // All pools' lists of a class come before those of smaller classes.
    FreeList& list =
        free_[i % options_.pools * class_count_ + i / options_.pools];
    PooledBuffer* const oldest = list.oldest();
    if (oldest == nullptr) continue;
    if (oldest->capacity_ >= kRegretFrom) {
      gone_[next_gone_++ % kRegrets] = oldest->capacity_;
    }
    return RemoveForGood(list, oldest);
  }
  return nullptr;
}

PooledBuffer* PooledAllocator::TakeIdle(size_t pool, uint64_t size,
                                        uint64_t owner) {
  if (size > kMaxPooled) return nullptr;
  const size_t size_class = ClassOf(size);
  FreeList* list = &free_[pool * class_count_ + size_class];
  if (size <= kAlwaysCleared) [[likely]]
    return Remove(*list, list->newest());
  const size_t end =
      std::min(size_class + (size < kExactFrom ? 1 : 2), class_count_);
  for (size_t c = size_class; c < end; ++c, ++list) {
    PooledBuffer* found = nullptr;
    PooledBuffer* at = list->newest();
    for (int tries = kMaxTries; at != nullptr && tries > 0; --tries) {
      const size_t capacity = at->capacity_;
      const bool fits =
          capacity >= size &&
          (size < kExactFrom || capacity - size <= size / kSlackShare);
      const bool own = fits && at->owner_ == owner;
      if (own || (fits && found == nullptr)) found = at;
      if (own) break;
      at = at->older_;
    }
    if (found != nullptr) return Remove(*list, found);
  }
  return nullptr;
}

absl::StatusOr<PooledBuffer*> PooledAllocator::NewBlock(size_t pool,
                                                        size_t capacity,
                                                        WorkBudget* work) {
  auto block = CreateBlock(pool, capacity, work);
  if (!absl::IsResourceExhausted(block.status())) [[likely]]
    return block;
  if (statistics().idle == 0) return block;
  Trim();
  return CreateBlock(pool, capacity, work);
}

absl::StatusOr<PooledBuffer*> PooledAllocator::Take(size_t pool, uint64_t size,
                                                    uint64_t owner,
                                                    const BufferParams& params,
                                                    bool counted) {
  const size_t capacity = BlockSize(size);
  {
    const std::lock_guard<ShortLock> lock(lock_);
    if (PooledBuffer* const block = TakeIdle(pool, size, owner)) {
      NotePeak();
      if (counted) Count(params, size);
      Permit(*block);
      block->ResetRef();
      return block;
    }
    NoteRegret(capacity);
  }
  while (PooledBuffer* const block = TakeExcess(capacity)) Delete(block);
  ASSIGN_OR_RETURN(PooledBuffer * made, NewBlock(pool, capacity, params.work));
  const std::lock_guard<ShortLock> lock(lock_);
  total_ += capacity;
  NotePeak();
  if (counted) Count(params, size);
  return made;
}

absl::Status PooledAllocator::Clear(PooledBuffer& block, uint64_t offset,
                                    uint64_t length, WorkBudget* work) {
  if (length == 0) return absl::OkStatus();
  if (block.host_data() == nullptr) {
    RETURN_IF_ERROR(PayForBytes(work, kClearing, length));
    return ClearUnseen(block, offset, length);
  }
  return ClearPaid(work, kClearing, block.host_data() + offset, length);
}

absl::Status PooledAllocator::ClearFor(PooledBuffer& block,
                                       const BufferParams& params,
                                       uint64_t size) {
  const uint64_t owner = params.owner;
  const uint64_t dirty = block.dirty_;
  const bool is_anyones = owner == 0 || owner == kOverwritten;
  const bool is_own = owner == block.owner_ && !is_anyones;
  // An owner may see its own bytes if clearing them is expensive. Other owners'
  // bytes are always cleared.
  if (owner != kOverwritten && (!is_own || size <= kAlwaysCleared)) {
    RETURN_IF_ERROR(Clear(block, 0, std::min(dirty, size), params.work));
  }
  if (!is_own && dirty > size) {
    // Clear the rest, too: kernels may read the last word as a whole, and the
    // new owner may reuse the block for a longer buffer.
    RETURN_IF_ERROR(Clear(block, size, dirty - size, params.work));
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
  ASSIGN_OR_RETURN(PooledBuffer * block,
                   Take(pool, size, params.owner, params, true));
  const absl::Status cleared = ClearFor(*block, params, size);
  block->dirty_ = std::max<size_t>(block->dirty_, size);
  // If clearing failed, the bytes are not the owner's.
  Ref<Buffer> buffer =
      HandOut(block, params, size, cleared.ok() ? params.owner : 0, true);
  RETURN_IF_ERROR(cleared);
  if (trace::IsRecording(trace::kEvents)) [[unlikely]]
    TraceChange(trace::Name::kAllocate, size);
  return buffer;
}

absl::StatusOr<Ref<Buffer>> PooledAllocator::AllocateScratchFrom(
    size_t pool, const BufferParams& params, uint64_t size) {
  ASSIGN_OR_RETURN(PooledBuffer * block, Take(pool, size, 0, params, false));
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

void PooledAllocator::Recycle(PooledBuffer* buffer, uint64_t max_idle) {
  const bool counted = buffer->counted_;
  const uint64_t size = buffer->byte_length();
  Release(buffer, max_idle);
  if (counted && trace::IsRecording(trace::kEvents)) [[unlikely]]
    TraceChange(trace::Name::kFree, size);
}

uint64_t PooledAllocator::MaxIdle(size_t capacity) {
  if (capacity >= kExactFrom &&
      !knows_max_idle_.load(std::memory_order_acquire)) [[unlikely]] {
    max_idle_.store(
        std::clamp(TotalMemory() / kIdleShare, kAlwaysKept, kMaxPooled),
        std::memory_order_relaxed);
    knows_max_idle_.store(true, std::memory_order_release);
  }
  return max_idle_.load(std::memory_order_relaxed);
}

void PooledAllocator::Release(PooledBuffer* buffer, uint64_t max_idle) {
  const size_t capacity = buffer->capacity_;
  max_idle = std::min(MaxIdle(capacity), std::max(max_idle, kAlwaysKept));
  bool arms = false;
  {
    const std::lock_guard<ShortLock> lock(lock_);
    if (buffer->counted_) {
      StatisticsOf(buffer->memory_type()).freed += buffer->byte_length();
    }
    if (idle_ + capacity <= max_idle) {
      Forbid(*buffer);
      buffer->period_ = period_;
      free_[buffer->pool_ * class_count_ + ClassOf(capacity)].Add(*buffer);
      buffer = nullptr;
      idle_ += capacity;
      arms = idle_ > kAlwaysKept && !std::exchange(is_armed_, true);
    } else {
      total_ -= capacity;
    }
  }
  delete buffer;
  if (arms) [[unlikely]]
    Arm(options_.period);
}

void PooledAllocator::Arm(absl::Duration time) {
  if (alarm_ == nullptr) {
    auto alarm = Alarm::Create([this] { FreeOldBlocks(); });
    if (alarm.ok()) alarm_ = *std::move(alarm);
  }
  {
    const std::lock_guard<ShortLock> lock(lock_);
    if (is_closed_) return;
    if (alarm_ != nullptr && alarm_->Set(Deadline::After(time)).ok()) return;
    is_armed_ = false;
  }
  Trim();
}

PooledBuffer* PooledAllocator::TakeOldBlock(size_t list) {
  const std::lock_guard<ShortLock> lock(lock_);
  PooledBuffer* const oldest = free_[list].oldest();
  if (oldest == nullptr || oldest->period_ + 1 >= period_) return nullptr;
  return RemoveForGood(free_[list], oldest);
}

bool PooledAllocator::FreeSlice() {
  uint64_t freed = 0;
  // Trim may replace free_ meanwhile, but not its size.
  for (; next_list_ < options_.pools * class_count_; ++next_list_) {
    while (PooledBuffer* const block = TakeOldBlock(next_list_)) {
      freed += std::max<uint64_t>(block->capacity_, kBlockBytes);
      Delete(block);
      if (freed >= kSliceBytes) return true;
    }
  }
  return false;
}

void PooledAllocator::FreeOldBlocks() {
  if (next_list_ == options_.pools * class_count_) {
    next_list_ = 0;
    const std::lock_guard<ShortLock> lock(lock_);
    ++period_;
  }
  if (FreeSlice()) return Arm(std::min(kPause, options_.period));
  {
    const std::lock_guard<ShortLock> lock(lock_);
    is_armed_ = idle_ > kAlwaysKept;
    if (!is_armed_) return;
  }
  Arm(options_.period);
}

AllocatorStatistics PooledAllocator::statistics() const {
  const std::lock_guard<ShortLock> lock(lock_);
  AllocatorStatistics statistics = statistics_;
  statistics.idle = idle_;
  return statistics;
}

}  // namespace eyrie::hal
