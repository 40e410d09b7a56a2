// Memrefs that a function returns, as buffer views: whose memory they are, and
// when it is freed.
//
// MLIR does not say who owns a result. One whose allocation is an argument's is
// a range of that argument's buffer, if it is aligned as tensors are; one that
// lies at 0xdeadbeef is a constant or a variable of the library, and is copied,
// as the library may change it; any other was allocated for the caller, once,
// however many results it has. Memory that a device can take as it is becomes a
// buffer; else it is copied and freed at once. Tested by call_test.cc.
#ifndef EYRIE_ABI_NATIVE_MEMREF_RESULTS_H_
#define EYRIE_ABI_NATIVE_MEMREF_RESULTS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/native/memref/descriptor.h"
#include "abi/native/memref/type.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "hal/buffer_view.h"
#include "hal/device.h"

namespace eyrie::native {

// How results are made.
struct MemrefResultParts {
  Ref<hal::Device> device;
  hal::BufferParams params;
  std::shared_ptr<MemoryMeter> memory;  // null: nobody counts
  void (*free)(void*);                  // of the library's allocations
};

// An argument that a result may lie in.
struct LentMemory {
  const void* allocated;        // as the function saw it
  uint64_t bytes;               // from there on
  const hal::BufferView* view;  // null: a copy, which does not outlive the call
  size_t argument;
};

// The memrefs of one call; one thread. What is not taken is freed at its end.
class MemrefResults {
 public:
  MemrefResults(const MemrefResultParts& parts,
                const std::vector<LentMemory>& lent)
      : parts_(parts), lent_(lent) {}

  // Takes the allocation of a descriptor that the function returned: of all,
  // before any of them is made a view.
  void Adopt(const MemrefDescriptor& descriptor);

  // The view of a descriptor. INTERNAL: no such memory can be: a size that is
  // negative or not the type's, a null pointer, an overflow, elements in the
  // memory of an argument that are past its end.
  // RESOURCE_EXHAUSTED: the limit of memory.
  absl::StatusOr<Ref<hal::BufferView>> View(const MemrefDescriptor& descriptor,
                                            hal::ElementType element);

 private:
  // Frees an allocation when the last result of it goes.
  using Owner = std::shared_ptr<void>;

  bool IsLent(const void* allocated) const;
  // The argument that a descriptor's elements are in, or null. INTERNAL: they
  // are not all in it.
  absl::StatusOr<const LentMemory*> FindLent(const MemrefDescriptor& descriptor,
                                             hal::ElementType element) const;
  // Null: the function allocated nothing there.
  Owner FindOwner(const void* allocated) const;
  absl::StatusOr<Ref<hal::BufferView>> Copy(const MemrefDescriptor& descriptor,
                                            hal::ElementType element,
                                            uint64_t bytes);
  // Null: it is to be copied.
  static absl::StatusOr<Ref<hal::Buffer>> Share(const LentMemory& lent,
                                                const uint8_t* data,
                                                uint64_t bytes);
  // Null: the device does not take it.
  absl::StatusOr<Ref<hal::Buffer>> Import(Owner owner, uint8_t* data,
                                          uint64_t bytes);

  const MemrefResultParts& parts_;
  const std::vector<LentMemory>& lent_;
  std::vector<std::pair<const void*, Owner>> owners_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_RESULTS_H_
