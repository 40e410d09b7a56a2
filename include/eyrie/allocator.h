// The interface of an allocator for the buffers of a CPU device, or for the
// results of calls.
#ifndef EYRIE_ALLOCATOR_H_
#define EYRIE_ALLOCATOR_H_

#include <cstddef>
#include <memory>

#include "eyrie/c.h"
#include "eyrie/language.h"
#include "eyrie/result.h"

namespace eyrie {

// May be called on any thread, and on several at the same time. Must not throw
// or use the library. docs/embedding.md, "Memory", lists the memory that comes
// from it.
class Allocator {
 public:
  virtual ~Allocator() = default;
  // Allocates `size` bytes, at least 1, at a multiple of `alignment`, which is
  // a power of two (64 in this version). The content may be anything. If it
  // returns null, the operation that needs the memory fails with
  // RESOURCE_EXHAUSTED.
  virtual void* Allocate(size_t size, size_t alignment) = 0;
  // Frees memory from Allocate; `size` is the size that was requested. Free
  // blocks may be cached for later buffers as long as the device or a value in
  // its memory exists.
  virtual void Free(void* memory, size_t size) = 0;
};

namespace internal {

using AllocatorHandle = Handle<eyrie_allocator_t, eyrie_allocator_release>;

// Returns an allocator of the C API, which shares ownership of `allocator`;
// null for null.
inline AllocatorHandle ToC(const std::shared_ptr<Allocator>& allocator) {
  using Shared = std::shared_ptr<Allocator>;
  if (allocator == nullptr) return {};
  return AllocatorHandle(eyrie_allocator_create(
      [](size_t size, size_t alignment, void* user) {
        return (*static_cast<Shared*>(user))->Allocate(size, alignment);
      },
      [](void* memory, size_t size, void* user) {
        (*static_cast<Shared*>(user))->Free(memory, size);
      },
      new Shared(allocator),
      [](void* user) { delete static_cast<Shared*>(user); }));
}

}  // namespace internal
}  // namespace eyrie

#endif  // EYRIE_ALLOCATOR_H_
