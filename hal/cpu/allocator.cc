// Pooled host memory.
#include "hal/cpu/allocator.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/control_groups.h"
#include "base/status_macros.h"
#include "hal/cpu/buffer.h"
#include "hal/cpu/dispatch_abi.h"

namespace eyrie::hal::cpu {
namespace {

// Blocks of this size or more get their own memory mappings, in bytes.
constexpr size_t kMapThreshold = size_t{256} << 10;

uint64_t MachineMemory() {  // in bytes
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t AddressSpace() {  // in bytes; the largest number if there is no limit
  rlimit limit = {};
  return getrlimit(RLIMIT_AS, &limit) == 0 ? limit.rlim_cur : ~uint64_t{0};
}

// Returns the end of a message: the limit that makes an allocation fail.
std::string BoundText() {
  const uint64_t space = AddressSpace();
  if (space < MachineMemory()) {
    return absl::StrCat("this process may have ", space,
                        " bytes of address space (ulimit -v).");
  }
  return absl::StrCat("this machine's memory has ", MachineMemory(), " bytes.");
}

}  // namespace

// The heap's own data takes up to a cache line for the block and for the
// object.
Allocator::Allocator(std::shared_ptr<HostMemory> memory,
                     std::optional<uint64_t> max_idle, absl::Duration period)
    : PooledAllocator(
          {.max_idle = max_idle,
           .object_bytes = sizeof(HostBuffer) + 2 * kBufferAlignment,
           .period = period}),
      memory_(std::move(memory)) {}

uint64_t Allocator::TotalMemory() const {
  const uint64_t total = std::min(MachineMemory(), AddressSpace());
  return std::min(total, GroupMemory(ReadSystemText).value_or(total));
}

absl::StatusOr<PooledBuffer*> Allocator::CreateHostBlock(size_t capacity,
                                                         WorkBudget* work) {
  ASSIGN_OR_RETURN(void* const data,
                   memory_->AllocatePaid(capacity, kBufferAlignment, work));
  if (data == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("A buffer of ", capacity,
                     " bytes cannot be had: ", memory_->name(), " has none."));
  }
  const uint64_t past = reinterpret_cast<uintptr_t>(data) % kBufferAlignment;
  if (past != 0) {
    memory_->Free(data, capacity);
    return absl::FailedPreconditionError(
        absl::StrCat("The host's allocator gives memory that begins ", past,
                     " bytes past a multiple of ", kBufferAlignment,
                     ", the alignment that it is asked for."));
  }
  return new HostBuffer(static_cast<uint8_t*>(data), capacity,
                        /*dirty=*/capacity, *memory_);
}

absl::StatusOr<PooledBuffer*> Allocator::CreateBlock(size_t, size_t capacity,
                                                     WorkBudget* work) {
  if (memory_ != nullptr) return CreateHostBlock(capacity, work);
  PooledBuffer* block = nullptr;
  if (capacity < kMapThreshold || capacity <= MachineMemory()) [[likely]]
    block = HostBuffer::Create(capacity, kMapThreshold);
  if (block != nullptr) [[likely]]
    return block;
  return absl::ResourceExhaustedError(absl::StrCat(
      "A buffer of ", capacity, " bytes cannot be allocated; ", BoundText()));
}

// All memory is visible to the host and to the device.
BufferParams Allocator::Resolve(const BufferParams& params) {
  BufferParams resolved = WithDefaults(params);
  resolved.type |= memory_type::kHostVisible | memory_type::kHostCoherent |
                   memory_type::kDeviceVisible;
  return resolved;
}

absl::StatusOr<Ref<hal::Buffer>> Allocator::Allocate(const BufferParams& params,
                                                     uint64_t size) {
  return AllocateFrom(0, Resolve(params), size);
}

absl::StatusOr<Ref<hal::Buffer>> Allocator::AllocateScratch(
    uint64_t size, const std::shared_ptr<MemoryMeter>& memory,
    WorkBudget* work) {
  ASSIGN_OR_RETURN(MemoryCharge charge,
                   Charge(memory, size, "a kernel's local memory"));
  BufferParams params = Resolve(BufferParams());
  params.work = work;
  ASSIGN_OR_RETURN(Ref<hal::Buffer> scratch,
                   AllocateScratchFrom(0, params, size));
  scratch->Hold(std::move(charge));
  return scratch;
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
  if (memory_ != nullptr && !memory_->CanUse(bytes.data(), bytes.size())) {
    refused_arrays_.fetch_add(1, std::memory_order_relaxed);
    refused_bytes_.fetch_add(bytes.size(), std::memory_order_relaxed);
    return absl::UnavailableError(
        "An isolated device cannot import memory of the host.");
  }
  return Ref<hal::Buffer>(
      MakeRef<ImportedBuffer>(Resolve(params), bytes, std::move(release)));
}

AllocatorStatistics Allocator::statistics() const {
  AllocatorStatistics statistics = PooledAllocator::statistics();
  if (memory_ != nullptr) statistics.shared = memory_->shared();
  if (statistics.shared) {
    statistics.shared->arrays +=
        refused_arrays_.load(std::memory_order_relaxed);
    statistics.shared->bytes += refused_bytes_.load(std::memory_order_relaxed);
  }
  return statistics;
}

bool Allocator::CanUse(const hal::Buffer& buffer) const {
  return buffer.host_data() != nullptr &&
         (buffer.memory_type() & memory_type::kHostCoherent) != 0 &&
         (memory_ == nullptr ||
          memory_->CanUse(buffer.host_data(), buffer.byte_length()));
}

}  // namespace eyrie::hal::cpu
