// Where CPU devices have the bytes of their buffers from.
//
// Called on any thread, also on several at once, without a lock of ours held.
// Tested by cpu/allocator_test.cc, abi/runtime_host_test.cc.
#ifndef EYRIE_HAL_HOST_MEMORY_H_
#define EYRIE_HAL_HOST_MEMORY_H_

#include <cstddef>

namespace eyrie::hal {

class HostMemory {
 public:
  virtual ~HostMemory() = default;
  // `size` bytes, one at least, with any content; null: they cannot be had.
  // `alignment` is a power of two.
  virtual void* Allocate(size_t size, size_t alignment) = 0;
  // Takes back what Allocate gave, with the size that it was asked for.
  virtual void Free(void* memory, size_t size) = 0;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_HOST_MEMORY_H_
