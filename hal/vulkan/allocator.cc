// Chooses memory types and manages blocks.
#include "hal/vulkan/allocator.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/vulkan/buffer.h"

namespace eyrie::hal::vulkan {
namespace {

// The size of the blocks for small buffers, and the largest buffer that goes in
// them.
constexpr uint64_t kBlockSize = uint64_t{64} << 20;
constexpr uint64_t kMaxShared = uint64_t{16} << 20;
// Importing less memory than this costs more than copying it.
constexpr uint64_t kMinImport = uint64_t{64} << 10;
constexpr uint32_t kAnyType = ~uint32_t{0};

uint64_t RoundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

uint64_t HeapSize(const VkPhysicalDeviceMemoryProperties& memory, int type) {
  return memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size;
}

}  // namespace

Allocator::Allocator(std::shared_ptr<LogicalDevice> device,
                     std::shared_ptr<ImmediateTransfers> transfers)
    : StagingAllocator({.pools = kKinds,
                        .max_idle = device->max_idle_memory(),
                        .object_bytes = sizeof(Buffer) + Granularity(*device)}),
      device_(std::move(device)),
      transfers_(std::move(transfers)),
      granularity_(Granularity(*device_)) {}

absl::StatusOr<Ref<Allocator>> Allocator::Create(
    std::shared_ptr<LogicalDevice> device,
    std::shared_ptr<ImmediateTransfers> transfers) {
  Ref<Allocator> allocator = Ref<Allocator>::Adopt(
      new Allocator(std::move(device), std::move(transfers)));
  RETURN_IF_ERROR(allocator->ChooseTypes());
  return allocator;
}

absl::Status Allocator::ChooseTypes() {
  constexpr VkMemoryPropertyFlags kSeen = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const VkPhysicalDeviceMemoryProperties& memory = device_->physical().memory;
  const int host = FindMemoryType(memory, kAnyType, kSeen,
                                  VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  int device =
      FindMemoryType(memory, kAnyType, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0);
  if (host < 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("The Vulkan device '", device_->physical().name,
                     "' has no memory that the host can see."));
  }
  if (device < 0) device = host;
  // Do not use a small host-visible window into device memory.
  const int window = FindMemoryType(memory, kAnyType,
                                    kSeen | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                    VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  const bool is_hidden = device_->options().hide_device_memory;
  if (!is_hidden && window >= 0 &&
      HeapSize(memory, window) >= HeapSize(memory, device) / 2) {
    device = window;
  }
  const auto set = [&](Kind kind, int type, bool is_seen) {
    Pool& pool = pools_[kind];
    pool.memory_type = static_cast<uint32_t>(type);
    pool.heap = memory.memoryTypes[type].heapIndex;
    pool.is_seen = is_seen;
  };
  const VkMemoryPropertyFlags flags = memory.memoryTypes[device].propertyFlags;
  set(kDevice, device, !is_hidden && (flags & kSeen) == kSeen);
  set(kHost, host, true);
  constexpr MemoryType kBoth =
      memory_type::kHostVisible | memory_type::kHostCoherent;
  pools_[kDevice].type =
      memory_type::kDeviceLocal | (pools_[kDevice].is_seen ? kBoth : 0);
  pools_[kHost].type = memory_type::kDeviceVisible | kBoth;
  return absl::OkStatus();
}

Allocator::Kind Allocator::Resolve(BufferParams& params) const {
  const bool must_be_seen = (params.type & memory_type::kHostVisible) != 0;
  const Kind kind = must_be_seen && !sees_device_memory() ? kHost : kDevice;
  params = WithDefaults(params);
  if (kind == kHost) {
    params.type &= ~(memory_type::kDeviceLocal & ~memory_type::kDeviceVisible);
  }
  params.type |= pools_[kind].type;
  return kind;
}

absl::StatusOr<Ref<hal::Buffer>> Allocator::Allocate(const BufferParams& params,
                                                     uint64_t size) {
  BufferParams resolved = params;
  const Kind kind = Resolve(resolved);
  auto buffer = AllocateFrom(kind, resolved, size);
  const bool is_unpaid = params.work != nullptr && params.work->refused();
  if (!absl::IsResourceExhausted(buffer.status()) || is_unpaid) [[likely]]
    return buffer;
  return Exhausted(pools_[kind], size);
}

absl::StatusOr<Ref<hal::Buffer>> Allocator::AllocateStaging(uint64_t size) {
  BufferParams params;
  params.type = memory_type::kHostLocal;
  const Kind kind = Resolve(params);
  auto buffer = AllocateScratchFrom(kind, params, size);
  if (!absl::IsResourceExhausted(buffer.status())) [[likely]]
    return buffer;
  return Exhausted(pools_[kind], size);
}

absl::Status Allocator::Exhausted(const Pool& pool, uint64_t size) const {
  const PhysicalDevice& physical = device_->physical();
  const uint64_t heap = physical.memory.memoryHeaps[pool.heap].size;
  std::string limits = absl::StrCat("the device's memory has ", heap, " bytes");
  if (size > physical.max_allocation) {
    limits = absl::StrCat("the device allocates at most ",
                          physical.max_allocation, " bytes at once");
  } else if (physical.has_memory_budget) {
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {};
    budget.sType =
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
    VkPhysicalDeviceMemoryProperties2 all = {};
    all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
    all.pNext = &budget;
    vkGetPhysicalDeviceMemoryProperties2(physical.handle, &all);
    const uint64_t limit = budget.heapBudget[pool.heap];
    const uint64_t used = budget.heapUsage[pool.heap];
    absl::StrAppend(&limits, ", of which ", limit > used ? limit - used : 0,
                    " are available to this process");
  } else {
    const AllocatorStatistics now = statistics();
    absl::StrAppend(&limits, ", of which this device's buffers use ",
                    now.device_local.live() + now.host_local.live());
  }
  return absl::ResourceExhaustedError(absl::StrCat(
      "A buffer of ", size, " bytes cannot be allocated; ", limits, "."));
}

absl::StatusOr<std::shared_ptr<MemoryBlock>> Allocator::NewBlock(
    const Pool& pool, uint64_t size) {
  RETURN_IF_ERROR(device_->CheckProcess());
  const PhysicalDevice& physical = device_->physical();
  const uint64_t refused = device_->options().refuse_blocks_above;
  if (size > physical.max_allocation ||
      size > physical.memory.memoryHeaps[pool.heap].size ||
      (refused != 0 && size > refused)) {
    return absl::ResourceExhaustedError(
        "The block exceeds the device's limits.");
  }
  return MemoryBlock::Create(device_, pool.memory_type, size, pool.is_seen);
}

absl::StatusOr<std::shared_ptr<MemoryBlock>> Allocator::NewBlockOf(
    const Pool& pool, uint64_t wanted, uint64_t least) {
  auto block = NewBlock(pool, wanted);
  if (!absl::IsResourceExhausted(block.status())) return block;
  TrimBlocks();
  for (uint64_t size = wanted;;) {
    block = NewBlock(pool, size);
    if (!absl::IsResourceExhausted(block.status()) || size == least) {
      return block;
    }
    size = std::max(RoundUp(size / 2, granularity_), least);
  }
}

void Allocator::TrimBlocks() {
  Trim();
  std::shared_ptr<MemoryBlock> newest[kKinds];
  std::lock_guard<std::mutex> lock(mutex_);
  for (size_t kind = 0; kind < kKinds; ++kind) {
    newest[kind] = std::move(pools_[kind].newest);
  }
}

uint64_t Allocator::TotalMemory() const {
  const uint32_t heap = pools_[kDevice].heap;
  return device_->physical().memory.memoryHeaps[heap].size;
}

uint64_t Allocator::SharedBytes() {
  std::lock_guard<std::mutex> lock(mutex_);
  uint64_t bytes = 0;
  for (const Pool& pool : pools_) {
    for (const std::weak_ptr<MemoryBlock>& weak : pool.blocks) {
      if (const auto block = weak.lock()) bytes += block->size();
    }
  }
  return bytes;
}

PooledBuffer* Allocator::TakeFrom(std::shared_ptr<MemoryBlock> block,
                                  size_t kind, uint64_t size, size_t capacity) {
  const std::optional<uint64_t> offset = block->Take(size);
  if (!offset) return nullptr;
  return new Buffer(std::move(block), *offset, size, capacity, kind);
}

absl::StatusOr<PooledBuffer*> Allocator::TakeFromBlocks(size_t kind,
                                                        uint64_t size,
                                                        size_t capacity) {
  Pool& pool = pools_[kind];
  {
    std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(pool.blocks, [](const auto& weak) { return weak.expired(); });
    for (const std::weak_ptr<MemoryBlock>& weak : pool.blocks) {
      std::shared_ptr<MemoryBlock> block = weak.lock();
      if (block == nullptr) continue;
      PooledBuffer* const buffer =
          TakeFrom(std::move(block), kind, size, capacity);
      if (buffer != nullptr) return buffer;
    }
  }
  const uint64_t heap = device_->physical().memory.memoryHeaps[pool.heap].size;
  const uint64_t whole = std::max(std::min(kBlockSize, heap / 16), size);
  ASSIGN_OR_RETURN(std::shared_ptr<MemoryBlock> block,
                   NewBlockOf(pool, RoundUp(whole, granularity_), size));
  PooledBuffer* const buffer = TakeFrom(block, kind, size, capacity);
  std::lock_guard<std::mutex> lock(mutex_);
  pool.blocks.push_back(block);
  // The previous block, if unused, is freed after the lock is released.
  pool.newest.swap(block);
  return buffer;
}

absl::StatusOr<PooledBuffer*> Allocator::CreateBlock(size_t kind,
                                                     size_t capacity,
                                                     WorkBudget*) {
  if (capacity > ~uint64_t{0} - granularity_) {
    return Exhausted(pools_[kind], capacity);
  }
  const uint64_t size = RoundUp(capacity, granularity_);
  if (size <= kMaxShared) return TakeFromBlocks(kind, size, capacity);
  ASSIGN_OR_RETURN(std::shared_ptr<MemoryBlock> block,
                   NewBlockOf(pools_[kind], size, size));
  const std::optional<uint64_t> offset = block->Take(size);
  return new Buffer(std::move(block), *offset, size, capacity, kind);
}

absl::Status Allocator::ClearUnseen(PooledBuffer& block, uint64_t offset,
                                    uint64_t length) {
  RETURN_IF_ERROR(device_->CheckProcess());
  const uint64_t begin = offset / 4 * 4;
  const DeviceRange& range = *RangeOf(*device_, block);
  const uint64_t end = std::min(RoundUp(offset + length, 4), range.capacity);
  return transfers_->Clear(range, begin, end - begin);
}

absl::Status Allocator::CopyNow(const hal::Buffer& source,
                                uint64_t source_offset,
                                const hal::Buffer& target,
                                uint64_t target_offset, uint64_t length) {
  if (length == 0) return absl::OkStatus();
  RETURN_IF_ERROR(device_->CheckProcess());
  return transfers_->Copy(*RangeOf(*device_, source), source_offset,
                          *RangeOf(*device_, target), target_offset, length);
}

absl::StatusOr<Ref<hal::Buffer>> Allocator::ImportHost(
    const BufferParams& params, std::span<uint8_t> bytes,
    std::function<void()> release) {
  RETURN_IF_ERROR(device_->CheckProcess());
  const uint64_t alignment = device_->physical().host_pointer_alignment;
  if (alignment == 0 || bytes.size() < kMinImport ||
      device_->options().hide_device_memory) {
    return absl::UnavailableError(absl::StrCat(
        "The device cannot import ", bytes.size(), " bytes of host memory."));
  }
  const auto address = reinterpret_cast<uintptr_t>(bytes.data());
  if (address % granularity_ != 0) {
    return absl::UnavailableError(absl::StrCat("Memory that is not aligned to ",
                                               granularity_,
                                               " bytes cannot be imported."));
  }
  // Only whole pages can be imported.
  const uint64_t before = address % alignment;
  const std::span<uint8_t> pages(bytes.data() - before,
                                 RoundUp(before + bytes.size(), alignment));
  ASSIGN_OR_RETURN(std::shared_ptr<MemoryBlock> block,
                   MemoryBlock::Import(device_, pages));
  BufferParams resolved = params;
  resolved.type |= pools_[kHost].type;
  if (resolved.access == 0) resolved.access = memory_access::kAll;
  resolved.usage |= buffer_usage::kMapping | buffer_usage::kTransfer;
  return Ref<hal::Buffer>(MakeRef<ImportedBuffer>(resolved, std::move(block),
                                                  bytes, std::move(release)));
}

bool Allocator::CanUse(const hal::Buffer& buffer) const {
  return RangeOf(*device_, buffer) != nullptr;
}

}  // namespace eyrie::hal::vulkan
