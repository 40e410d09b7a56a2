// Pooled host memory.
//
// Tested by allocator_test.cc.
#include "hal/cpu/allocator.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status_macros.h"
#include "base/trace.h"

namespace eyrie::hal::cpu {
namespace {

uint64_t MachineMemory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// What a request stands for: all memory here is visible to both sides, and
// may be mapped and copied.
BufferParams Resolve(const BufferParams& params) {
  BufferParams resolved = params;
  resolved.type &= ~memory_type::kOptimal;
  resolved.type |= memory_type::kHostVisible | memory_type::kHostCoherent |
                   memory_type::kDeviceVisible;
  if (resolved.access == 0) resolved.access = memory_access::kAll;
  if (resolved.usage == 0) resolved.usage = buffer_usage::kDefault;
  resolved.usage |= buffer_usage::kMapping | buffer_usage::kTransfer;
  return resolved;
}

}  // namespace

Allocator::Allocator() : machine_memory_(MachineMemory()) {}

Allocator::~Allocator() {
  for (PooledBuffer* buffer : free_) {
    while (buffer) delete std::exchange(buffer, buffer->next_);
  }
}

// Sizes up to 64 are class 0; then the classes end at 80, 96, 112, 128, 160...
size_t Allocator::ClassOf(size_t size) {
  if (size <= kMinBlock) return 0;
  const size_t last = size - 1;
  const size_t exponent = std::bit_width(last) - 1;  // 6 for 65 to 128
  return (exponent - 6) * 4 + ((last >> (exponent - 2)) & 3) + 1;
}

size_t Allocator::ClassSize(size_t size_class) {
  if (size_class == 0) return kMinBlock;
  const size_t exponent = (size_class - 1) / 4 + 6;
  return ((size_class - 1) % 4 + 5) << (exponent - 2);
}

uint64_t Allocator::Footprint(uint64_t size) const {
  // The heap keeps up to a line of its own beside the block and the object.
  constexpr uint64_t kObjects = sizeof(PooledBuffer) + 2 * kBufferAlignment;
  const uint64_t block = size <= kMaxPooled ? ClassSize(ClassOf(size)) : size;
  return CheckedAdd(block, kObjects).value_or(block);
}

MemoryStatistics& Allocator::StatisticsOf(MemoryType type) {
  return (type & memory_type::kHostLocal) == memory_type::kHostLocal
             ? statistics_.host_local
             : statistics_.device_local;
}

absl::Status Allocator::Exhausted(uint64_t size) const {
  return absl::ResourceExhaustedError(absl::StrCat(
      "A buffer of ", size, " bytes cannot be had; this machine's memory has ",
      machine_memory_, " bytes."));
}

absl::StatusOr<PooledBuffer*> Allocator::Take(uint64_t size,
                                              const BufferParams* params) {
  if (size > machine_memory_) [[unlikely]]
    return Exhausted(size);
  const bool pooled = size <= kMaxPooled;
  const size_t size_class = pooled ? ClassOf(size) : 0;
  PooledBuffer* buffer = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (pooled) buffer = free_[size_class];
    if (buffer != nullptr) {
      free_[size_class] = buffer->next_;
      idle_ -= buffer->capacity_;
    }
    if (params) {
      MemoryStatistics& statistics = StatisticsOf(params->type);
      statistics.allocated += size;
      statistics.peak = std::max(statistics.peak, statistics.live());
    }
  }
  if (buffer) {
    buffer->ResetRef();
  } else {
    buffer = PooledBuffer::Make(pooled ? ClassSize(size_class) : size,
                                kMapThreshold);
  }
  if (buffer) [[likely]]
    return buffer;
  if (params) {
    std::lock_guard<std::mutex> lock(mutex_);
    StatisticsOf(params->type).freed += size;
  }
  return Exhausted(size);
}

absl::StatusOr<Ref<hal::Buffer>> Allocator::Allocate(const BufferParams& params,
                                                     uint64_t size) {
  const BufferParams resolved = Resolve(params);
  ASSIGN_OR_RETURN(PooledBuffer * buffer, Take(size, &resolved));
  // An owner's own bytes may stay where clearing them would cost; anybody
  // else's become zeros again.
  if (resolved.owner == 0 || resolved.owner != buffer->owner_ ||
      size <= kAlwaysCleared) {
    std::memset(buffer->host_data(), 0, std::min<size_t>(buffer->dirty_, size));
  }
  if (resolved.owner != buffer->owner_ && buffer->dirty_ > size) {
    // The rest too: a longer buffer of the new owner's may come next.
    std::memset(buffer->host_data() + size, 0, buffer->dirty_ - size);
    buffer->dirty_ = size;
  }
  buffer->owner_ = resolved.owner;
  buffer->dirty_ = std::max<size_t>(buffer->dirty_, size);
  buffer->counted_ = true;
  buffer->Reset(resolved, size);
  buffer->home_ = Ref<Allocator>::Share(this);
  if (trace::IsRecording(trace::kEvents)) [[unlikely]]
    TraceChange(trace::Name::kAllocate, size);
  return Ref<hal::Buffer>::Adopt(buffer);
}

void Allocator::TraceChange(trace::Name name, uint64_t size) const {
  const AllocatorStatistics now = statistics();
  trace::Instant(trace::Category::kMemory, name, size);
  trace::Counter(trace::Name::kDeviceMemory,
                 now.host_local.live() + now.device_local.live());
}

absl::StatusOr<Ref<hal::Buffer>> Allocator::AllocateScratch(uint64_t size) {
  ASSIGN_OR_RETURN(PooledBuffer * buffer, Take(size, nullptr));
  buffer->owner_ = 0;
  buffer->dirty_ = buffer->capacity_;
  buffer->counted_ = false;
  buffer->Reset(Resolve(BufferParams()), size);
  buffer->home_ = Ref<Allocator>::Share(this);
  return Ref<hal::Buffer>::Adopt(buffer);
}

void Allocator::Recycle(PooledBuffer* buffer) {
  const bool counted = buffer->counted_;
  const uint64_t size = buffer->byte_length();
  Release(buffer);
  if (counted && trace::IsRecording(trace::kEvents)) [[unlikely]]
    TraceChange(trace::Name::kFree, size);
}

void Allocator::Release(PooledBuffer* buffer) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (buffer->counted_) {
      StatisticsOf(buffer->memory_type()).freed += buffer->byte_length();
    }
    const size_t capacity = buffer->capacity_;
    if (capacity <= kMaxPooled && idle_ + capacity <= kMaxIdle) {
      const size_t size_class = ClassOf(capacity);
      buffer->next_ = free_[size_class];
      free_[size_class] = buffer;
      idle_ += capacity;
      return;
    }
  }
  delete buffer;
}

absl::StatusOr<Ref<hal::Buffer>> Allocator::ImportHost(
    const BufferParams& params, std::span<uint8_t> bytes,
    std::function<void()> release) {
  if (!bytes.empty() &&
      reinterpret_cast<uintptr_t>(bytes.data()) % kBufferAlignment != 0) {
    return absl::UnavailableError(absl::StrCat("Memory that is not aligned to ",
                                               kBufferAlignment,
                                               " bytes cannot be imported."));
  }
  return Ref<hal::Buffer>(
      MakeRef<ImportedBuffer>(Resolve(params), bytes, std::move(release)));
}

bool Allocator::CanUse(const hal::Buffer& buffer) const {
  return buffer.host_data() != nullptr &&
         (buffer.memory_type() & memory_type::kHostCoherent) != 0;
}

AllocatorStatistics Allocator::statistics() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return statistics_;
}

}  // namespace eyrie::hal::cpu
