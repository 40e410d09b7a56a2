// Copies of a dispatch's bindings for an isolated worker.
//
// Thread-compatible. Tested by binding_copies_test.cc, isolate_test.cc.
#ifndef EYRIE_HAL_CPU_ISOLATE_BINDING_COPIES_H_
#define EYRIE_HAL_CPU_ISOLATE_BINDING_COPIES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/isolate/shared_heap.h"

namespace eyrie::hal::cpu::isolate {

// Bindings in memory that the worker cannot use, as copies in the data area.
// Those that overlap share a copy, so that a kernel reads through one the bytes
// that it wrote through another.
class BindingCopies {
 public:
  explicit BindingCopies(SharedHeap& heap) : heap_(heap) {}
  BindingCopies(const BindingCopies&) = delete;
  BindingCopies& operator=(const BindingCopies&) = delete;
  ~BindingCopies();

  // Replaces pointers to other memory. Bit i of `read_only` says that binding i
  // is not written. RESOURCE_EXHAUSTED: no memory for a copy.
  absl::Status Add(const DispatchState& state, uint64_t read_only,
                   std::span<void*> pointers);
  // Copies the bindings that may have been written to where they belong.
  void WriteBack() const;
  bool empty() const { return copies_.empty(); }

 private:
  // A range of other memory and its copy.
  struct Copy {
    uint8_t* begin;
    uint8_t* end;
    uint8_t* memory = nullptr;
  };

  // Joins the range with those that overlap it.
  void Join(uint8_t* begin, uint8_t* end);
  // Returns where the copies have a byte.
  uint8_t* Find(const uint8_t* original) const;

  SharedHeap& heap_;
  std::vector<Copy> copies_;  // do not overlap
  std::vector<std::span<uint8_t>> written_;
};

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_BINDING_COPIES_H_
