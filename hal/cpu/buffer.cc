// The host memory of buffers.
//
// Tested by allocator_test.cc.
#include "hal/cpu/buffer.h"

#include <sys/mman.h>

#include <cstring>
#include <new>
#include <utility>

namespace eyrie::hal::cpu {
namespace {

// The address of empty imports, because kernels must not get null pointers.
alignas(kBufferAlignment) constexpr uint8_t kNoBytes[kBufferAlignment] = {};

class SystemHeap final : public HostMemory {
 public:
  void* Allocate(size_t size, size_t alignment) override {
    return ::operator new(size, std::align_val_t(alignment), std::nothrow);
  }
  void Free(void* memory, size_t) override {
    ::operator delete(memory, std::align_val_t(kBufferAlignment));
  }
};

// Allocates zeroed pages.
class SystemPages final : public HostMemory {
 public:
  void* Allocate(size_t size, size_t) override {
    void* const data = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return data == MAP_FAILED ? nullptr : data;
  }
  void Free(void* memory, size_t size) override { munmap(memory, size); }
};

}  // namespace

HostBuffer* HostBuffer::Create(size_t capacity, size_t map_threshold) {
  static SystemHeap& heap = *new SystemHeap();
  static SystemPages& pages = *new SystemPages();
  const bool mapped = capacity >= map_threshold;
  HostMemory& memory = mapped ? static_cast<HostMemory&>(pages) : heap;
  auto* const data =
      static_cast<uint8_t*>(memory.Allocate(capacity, kBufferAlignment));
  if (data == nullptr) return nullptr;
  if (!mapped) std::memset(data, 0, capacity);
  return new HostBuffer(data, capacity, /*dirty=*/0, memory);
}

HostBuffer::~HostBuffer() { memory_.Free(host_data(), capacity()); }

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
