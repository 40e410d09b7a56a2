// Allocates the memory of CPU devices' buffers; implemented by embedders.
//
// Must be thread-safe. Called on any thread, without holding Eyrie's locks.
// Tested by cpu/allocator_test.cc, abi/c/runtime_host_test.cc.
#ifndef EYRIE_HAL_HOST_MEMORY_H_
#define EYRIE_HAL_HOST_MEMORY_H_

#include <cstddef>

namespace eyrie::hal {

class HostMemory {
 public:
  virtual ~HostMemory() = default;
  // Returns `size` bytes (at least 1) with any contents, or null if out of
  // memory. `alignment` is a power of two.
  virtual void* Allocate(size_t size, size_t alignment) = 0;
  // Frees memory that Allocate returned for the same `size`.
  virtual void Free(void* memory, size_t size) = 0;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_HOST_MEMORY_H_
