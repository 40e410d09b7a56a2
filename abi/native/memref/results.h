// Converts returned memrefs to buffer views, and determines who owns and frees
// their memory.
//
// MLIR does not define who owns a result. If its allocation is an argument's,
// the result is a range of that argument's buffer if aligned as tensors are. An
// allocation of 0xdeadbeef marks library data, which may change and is copied.
// Any other was allocated for the caller and is freed once, even if several
// results share it: a device that can use it imports it; otherwise it is
// copied.
// Tested by call_test.cc.
#ifndef EYRIE_ABI_NATIVE_MEMREF_RESULTS_H_
#define EYRIE_ABI_NATIVE_MEMREF_RESULTS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/native/memref/descriptor.h"
#include "abi/native/memref/type.h"
#include "abi/native/native_call.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/buffer_view.h"

namespace eyrie::native {

// The memory of an argument that a result may refer to.
struct LentMemory {
  const void* allocated;        // as the function saw it
  uint64_t bytes;               // from there
  const hal::BufferView* view;  // null: a copy for this call only
  size_t argument;
};

// The memrefs of one call; not thread-safe. Its destructor frees allocations
// that no result uses.
class MemrefResults {
 public:
  // `free` frees the library's allocations.
  MemrefResults(const NativeCallParts& parts, void (*free)(void*),
                const std::vector<LentMemory>& lent)
      : parts_(parts), free_(free), lent_(lent) {}

  // Records the allocation of a returned descriptor. Must be called for all
  // results before View is called for any.
  void Adopt(const MemrefDescriptor& descriptor);

  // Returns a view of a descriptor. The first result of an allocation uses its
  // memory, and others are copies: a module may write to a result that only it
  // holds. INTERNAL: the descriptor is invalid: a size
  // is negative or not the type's, a pointer is null, a number overflows, or
  // elements are past the end of an argument's memory. RESOURCE_EXHAUSTED: the
  // memory limit.
  absl::StatusOr<Ref<hal::BufferView>> View(const MemrefDescriptor& descriptor,
                                            hal::ElementType element);

 private:
  // Frees an allocation when its last result is released.
  using Owner = std::shared_ptr<void>;

  bool IsLent(const void* allocated) const;
  // Returns the argument that contains a descriptor's elements, or nullptr.
  // INTERNAL: the argument contains only some of them.
  absl::StatusOr<const LentMemory*> FindLent(const MemrefDescriptor& descriptor,
                                             hal::ElementType element) const;
  // Returns null if the function allocated nothing at this address.
  Owner FindOwner(const void* allocated) const;
  absl::StatusOr<Ref<hal::BufferView>> Copy(const MemrefDescriptor& descriptor,
                                            hal::ElementType element,
                                            uint64_t bytes);
  // Returns null if the memory must be copied.
  static absl::StatusOr<Ref<hal::Buffer>> Share(const LentMemory& lent,
                                                const uint8_t* data,
                                                uint64_t bytes);
  // Returns null if the device cannot import the memory.
  absl::StatusOr<Ref<hal::Buffer>> Import(Owner owner, uint8_t* data,
                                          uint64_t bytes);

  const NativeCallParts& parts_;
  void (*const free_)(void*);
  const std::vector<LentMemory>& lent_;
  std::vector<std::pair<const void*, Owner>> owners_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_RESULTS_H_
