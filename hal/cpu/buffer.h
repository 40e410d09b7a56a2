// Buffers of the CPU driver, in host memory.
//
// When the last reference to a HostBuffer is dropped, its memory and the object
// return to the allocator. An ImportedBuffer wraps memory of the caller.
// Tested by allocator_test.cc.
#ifndef EYRIE_HAL_CPU_BUFFER_H_
#define EYRIE_HAL_CPU_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "hal/buffer.h"
#include "hal/host_memory.h"
#include "hal/pooled_allocator.h"
#include "hal/types.h"

namespace eyrie::hal::cpu {

class HostBuffer final : public PooledBuffer {
 public:
  // Takes ownership of `capacity` bytes (at least one), aligned to
  // kBufferAlignment. Bytes from `dirty` on must be zero. `memory` must outlive
  // the buffer.
  HostBuffer(uint8_t* data, size_t capacity, size_t dirty, HostMemory& memory)
      : PooledBuffer(data, capacity, /*pool=*/0, dirty), memory_(memory) {}
  ~HostBuffer() override;

  // Allocates `capacity` zeroed bytes from the system. Returns null on failure.
  // A buffer of `map_threshold` bytes or more uses memory only for the pages
  // that have been touched.
  static HostBuffer* Create(size_t capacity, size_t map_threshold);

 private:
  HostMemory& memory_;
};

// A buffer in memory of the caller. The destructor calls `release`, if any.
class ImportedBuffer final : public hal::Buffer {
 public:
  ImportedBuffer(const BufferParams& params, std::span<uint8_t> bytes,
                 std::function<void()> release);
  ~ImportedBuffer() override;

 private:
  std::function<void()> release_;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_BUFFER_H_
