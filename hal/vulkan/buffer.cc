// Maps buffers, by copies if the host cannot access the memory.
#include "hal/vulkan/buffer.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"

namespace eyrie::hal::vulkan {
namespace {

uint8_t* HostData(const MemoryBlock& block, uint64_t offset) {
  return block.host() != nullptr ? block.host() + offset : nullptr;
}

}  // namespace

Buffer::Buffer(std::shared_ptr<MemoryBlock> block, uint64_t offset,
               uint64_t taken, size_t capacity, size_t pool)
    : PooledBuffer(HostData(*block, offset), capacity, pool,
                   /*dirty=*/capacity),
      block_(std::move(block)),
      range_(block_->Range(offset, taken)) {}

Buffer::~Buffer() { block_->Give(range_.offset, range_.capacity); }

absl::StatusOr<Buffer::Copy> Buffer::TakePart(uint64_t offset, uint64_t length,
                                              bool is_written) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (Copy& copy : copies_) {
    if (copy.offset != offset || copy.length != length) continue;
    const Copy before = copy;
    copy.is_written |= is_written;
    ++copy.maps;
    return before;
  }
  auto& allocator = static_cast<StagingAllocator&>(*home());
  ASSIGN_OR_RETURN(Ref<hal::Buffer> staging, allocator.AllocateStaging(length));
  const Copy& made =
      copies_.emplace_back(Copy{offset, length, 1, is_written, staging});
  return Copy{made.offset, made.length, 0, false, std::move(staging)};
}

// The lock must not be held during the device's copy, which may run callbacks
// that map this buffer.
absl::StatusOr<std::span<uint8_t>> Buffer::MapCopy(MemoryAccess access,
                                                   uint64_t offset,
                                                   uint64_t length) {
  const bool is_read = (access & memory_access::kDiscard) == 0;
  ASSIGN_OR_RETURN(
      const Copy before,
      TakePart(offset, length, (access & memory_access::kWrite) != 0));
  const std::span<uint8_t> bytes(before.staging->host_data(), length);
  // Keep the data that another map of the range has written but not yet
  // unmapped.
  if (before.is_written) return bytes;
  if (!is_read) {
    // Staging memory holds old data, and the caller need not overwrite all of
    // it.
    if (before.maps == 0) std::fill(bytes.begin(), bytes.end(), uint8_t{0});
    return bytes;
  }
  auto& allocator = static_cast<StagingAllocator&>(*home());
  const absl::Status status =
      allocator.CopyNow(*this, offset, *before.staging, 0, length);
  if (status.ok()) [[likely]]
    return bytes;
  std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(copies_, [&](Copy& copy) {
    return copy.staging == before.staging && --copy.maps == 0;
  });
  return status;
}

absl::Status Buffer::UnmapCopy(uint64_t offset, uint64_t length) {
  const uint64_t end = offset + length;
  // The parts of copies to write back, and the copies that end here.
  std::vector<Copy> parts;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(copies_, [&](Copy& copy) {
      const uint64_t begin = std::max(offset, copy.offset);
      const uint64_t copy_end = copy.offset + copy.length;
      if (begin > std::min(end, copy_end)) return false;
      if (copy.is_written) parts.push_back(copy);
      if (copy.offset == offset && copy.length == length) {
        return --copy.maps == 0;
      }
      return offset <= copy.offset && copy_end <= end;
    });
  }
  auto& allocator = static_cast<StagingAllocator&>(*home());
  absl::Status status;
  for (const Copy& part : parts) {
    const uint64_t begin = std::max(offset, part.offset);
    const uint64_t part_end = std::min(end, part.offset + part.length);
    status.Update(allocator.CopyNow(*part.staging, begin - part.offset, *this,
                                    begin, part_end - begin));
  }
  return status;
}

void Buffer::WillBeIdle() { copies_.clear(); }

ImportedBuffer::ImportedBuffer(const BufferParams& params,
                               std::shared_ptr<MemoryBlock> block,
                               std::span<uint8_t> bytes,
                               std::function<void()> release)
    : hal::Buffer(params, bytes.size(), bytes.data()),
      block_(std::move(block)),
      range_(block_->Range(static_cast<uint64_t>(bytes.data() - block_->host()),
                           (bytes.size() + 3) / 4 * 4)),
      release_(std::move(release)) {}

ImportedBuffer::~ImportedBuffer() {
  block_.reset();
  if (release_) release_();
}

}  // namespace eyrie::hal::vulkan
