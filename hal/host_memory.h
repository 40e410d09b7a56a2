// Allocates the memory of CPU devices' buffers; implemented by embedders.
//
// Must be thread-safe. Called on any thread, without holding Eyrie's locks.
// Tested by cpu/allocator_test.cc, abi/c/runtime_host_test.cc.
#ifndef EYRIE_HAL_HOST_MEMORY_H_
#define EYRIE_HAL_HOST_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>

namespace eyrie::hal {

// Arrays of the host that were copied, to where the kernels run and back,
// because they are in memory that the kernels cannot use.
struct CopyStatistics {
  uint64_t arrays = 0;
  uint64_t bytes = 0;
};

class HostMemory {
 public:
  virtual ~HostMemory() = default;
  // Returns `size` bytes (at least 1) with any contents, or null if out of
  // memory. `alignment` is a power of two.
  virtual void* Allocate(size_t size, size_t alignment) = 0;
  // Frees memory that Allocate returned for the same `size`.
  virtual void Free(void* memory, size_t size) = 0;
  // Reports whether devices with this memory can also use other memory of the
  // host, such as these bytes.
  virtual bool CanUse(const void* memory, size_t size) const { return true; }
  // Returns the copies of dispatches' bindings so far; nothing if kernels can
  // use all memory.
  virtual std::optional<CopyStatistics> copies() const { return std::nullopt; }
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_HOST_MEMORY_H_
