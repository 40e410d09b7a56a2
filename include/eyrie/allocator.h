// Where a CPU device has the bytes of its buffers from.
#ifndef EYRIE_ALLOCATOR_H_
#define EYRIE_ALLOCATOR_H_

#include "eyrie/language.h"

#include <cstddef>
#include <memory>

#include "eyrie/c.h"

namespace eyrie {

// Called on any thread, also on several at once; must not throw, nor use the
// library. docs/embedding.md, "Memory", says what comes from it and what does
// not.
class Allocator {
 public:
  virtual ~Allocator() = default;
  // `size` bytes, 1 at least, of any content, at a multiple of `alignment`, a
  // power of two (64 in this version). Null: there are none, and what asked for
  // them fails with RESOURCE_EXHAUSTED.
  virtual void* Allocate(size_t size, size_t alignment) = 0;
  // Takes back what Allocate gave, with the size that was asked for. Blocks
  // that are free may be kept for later buffers until nothing refers to the
  // device nor to a value in its memory.
  virtual void Free(void* memory, size_t size) = 0;
};

namespace internal {

// Puts an allocator into options of the C API, to be freed by them.
inline void SetAllocator(const std::shared_ptr<Allocator>& allocator,
                         eyrie_device_options_t& options) {
  using Shared = std::shared_ptr<Allocator>;
  if (allocator == nullptr) return;
  options.allocate = [](size_t size, size_t alignment, void* user) {
    return (*static_cast<Shared*>(user))->Allocate(size, alignment);
  };
  options.deallocate = [](void* memory, size_t size, void* user) {
    (*static_cast<Shared*>(user))->Free(memory, size);
  };
  options.allocator_data = new Shared(allocator);
  options.free_allocator_data = [](void* user) {
    delete static_cast<Shared*>(user);
  };
}

}  // namespace internal
}  // namespace eyrie

#endif  // EYRIE_ALLOCATOR_H_
