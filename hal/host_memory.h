// Allocates the memory of CPU devices' buffers; implemented by embedders.
//
// Must be thread-safe. Called on any thread, without holding Eyrie's locks.
// Tested by cpu/allocator_test.cc, abi/c/runtime_host_test.cc.
#ifndef EYRIE_HAL_HOST_MEMORY_H_
#define EYRIE_HAL_HOST_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/work_budget.h"

namespace eyrie::hal {

// The memory that kernels share with this process, if they run in another.
struct SharedStatistics {
  // Arrays of the host that were copied, to where the kernels run and back,
  // because they are in memory that the kernels cannot use.
  uint64_t arrays = 0;
  uint64_t bytes = 0;
  // Bytes whose pages exist: now, and at most so far.
  uint64_t committed = 0;
  uint64_t most_committed = 0;
};

class HostMemory {
 public:
  virtual ~HostMemory() = default;
  // Returns `size` bytes (at least 1) with any contents, or null if out of
  // memory. `alignment` is a power of two.
  virtual void* Allocate(size_t size, size_t alignment) = 0;
  // Allocates as above, and commits the pages first: `work`, which may be null,
  // pays for them. Fails as MovePaid does.
  virtual absl::StatusOr<void*> AllocatePaid(size_t size, size_t alignment,
                                             WorkBudget* work) {
    return Allocate(size, alignment);
  }
  // Frees memory that Allocate returned for the same `size`.
  virtual void Free(void* memory, size_t size) = 0;
  // Returns the subject of messages about this memory.
  virtual absl::string_view name() const { return "the host's allocator"; }
  // Reports whether devices with this memory can also use other memory of the
  // host, such as these bytes.
  virtual bool CanUse(const void* memory, size_t size) const { return true; }
  // Returns nothing if kernels can use all memory.
  virtual std::optional<SharedStatistics> shared() const {
    return std::nullopt;
  }
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_HOST_MEMORY_H_
