// Buffers, and copies of what the host cannot see.
//
// Tested by allocator_test.cc.
#include "hal/vulkan/buffer.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "hal/vulkan/allocator.h"

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

absl::StatusOr<std::span<uint8_t>> Buffer::MapCopy(MemoryAccess access,
                                                   uint64_t offset,
                                                   uint64_t length) {
  const bool is_written = (access & memory_access::kWrite) != 0;
  const bool is_read = (access & memory_access::kDiscard) == 0;
  Allocator& allocator = static_cast<Allocator&>(*home());
  std::lock_guard<std::mutex> lock(mutex_);
  auto copy = std::find_if(copies_.begin(), copies_.end(), [&](const Copy& c) {
    return c.offset == offset && c.length == length;
  });
  if (copy == copies_.end()) {
    ASSIGN_OR_RETURN(Ref<hal::Buffer> staging,
                     allocator.AllocateStaging(length));
    copies_.push_back({offset, length, false, std::move(staging)});
    copy = std::prev(copies_.end());
  }
  copy->is_written |= is_written;
  if (is_read) {
    RETURN_IF_ERROR(
        allocator.CopyNow(*this, offset, *copy->staging, 0, length));
  }
  return std::span<uint8_t>(copy->staging->host_data(), length);
}

absl::Status Buffer::UnmapCopy(uint64_t offset, uint64_t length) {
  Allocator& allocator = static_cast<Allocator&>(*home());
  std::lock_guard<std::mutex> lock(mutex_);
  absl::Status status;
  const auto ends = [&](Copy& copy) {
    if (copy.offset < offset || copy.offset + copy.length > offset + length) {
      return false;
    }
    if (copy.is_written) {
      status.Update(
          allocator.CopyNow(*copy.staging, 0, *this, copy.offset, copy.length));
    }
    return true;
  };
  std::erase_if(copies_, ends);
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
