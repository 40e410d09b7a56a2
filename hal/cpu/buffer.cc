// Host memory behind buffers.
//
// Tested by allocator_test.cc.
#include "hal/cpu/buffer.h"

#include <sys/mman.h>

#include <cstring>
#include <new>
#include <utility>

namespace eyrie::hal::cpu {
namespace {

// What an empty import points at: kernels are given no null pointers.
alignas(kBufferAlignment) constexpr uint8_t kNoBytes[kBufferAlignment] = {};

}  // namespace

HostBuffer* HostBuffer::Make(size_t capacity, size_t map_threshold) {
  const bool mapped = capacity >= map_threshold;
  void* data;
  if (mapped) {
    data = mmap(nullptr, capacity, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return nullptr;
  } else {
    data = ::operator new(capacity, std::align_val_t(kBufferAlignment),
                          std::nothrow);
    if (data == nullptr) return nullptr;
    std::memset(data, 0, capacity);
  }
  return new HostBuffer(static_cast<uint8_t*>(data), capacity, mapped);
}

HostBuffer::~HostBuffer() {
  if (mapped_) {
    munmap(host_data(), capacity());
  } else {
    ::operator delete(host_data(), std::align_val_t(kBufferAlignment));
  }
}

ImportedBuffer::ImportedBuffer(const BufferParams& params,
                               std::span<uint8_t> bytes,
                               std::function<void()> release)
    : Buffer(params, bytes.size(),
             bytes.empty() ? const_cast<uint8_t*>(kNoBytes) : bytes.data()),
      release_(std::move(release)) {}

ImportedBuffer::~ImportedBuffer() {
  if (release_) release_();
}

}  // namespace eyrie::hal::cpu
