// An allocation of the CPU driver: host memory that goes back to its allocator
// with the last reference, and the buffer object with it.
//
// Also buffers over memory that somebody else owns.
// Tested by allocator_test.cc.
#ifndef EYRIE_HAL_CPU_BUFFER_H_
#define EYRIE_HAL_CPU_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/ref.h"
#include "hal/buffer.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/types.h"

namespace eyrie::hal::cpu {

class Allocator;

class PooledBuffer final : public hal::Buffer {
 public:
  // Zeroed memory of `capacity` bytes, at least one; null if there is none.
  // From `map_threshold` on, pages are the system's and cost nothing until
  // they are touched.
  static PooledBuffer* Make(size_t capacity, size_t map_threshold);
  ~PooledBuffer() override;

  size_t capacity() const { return capacity_; }

 private:
  friend class Allocator;

  PooledBuffer(uint8_t* data, size_t capacity, bool mapped)
      : Buffer(BufferParams(), 0, data), capacity_(capacity), mapped_(mapped) {}

  void OnLastRef() override;

  const size_t capacity_;
  const bool mapped_;
  // Below, what the allocator keeps here.
  Ref<Allocator> home_;           // null while in a free list
  PooledBuffer* next_ = nullptr;  // in a free list
  uint64_t owner_ = 0;            // who has written here last
  size_t dirty_ = 0;              // bytes that may be other than zero
  bool counted_ = false;          // in the statistics
};

// Memory that `release` gives back.
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
