// Copies of a dispatch's bindings for an isolated worker.
//
// Thread-compatible. Tested by binding_copies_test.cc, isolate_test.cc.
#ifndef EYRIE_HAL_CPU_ISOLATE_BINDING_COPIES_H_
#define EYRIE_HAL_CPU_ISOLATE_BINDING_COPIES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/work_budget.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/isolate/shared_heap.h"

namespace eyrie::hal::cpu::isolate {

// Bindings in memory that the worker cannot use, as copies in the data area.
// Those that overlap share a copy, so that a kernel reads through one the bytes
// that it wrote through another.
class BindingCopies {
 public:
  // `work`, which may be null, pays for all that is committed or copied.
  BindingCopies(SharedHeap& heap, WorkBudget* work)
      : heap_(heap), work_(work) {}
  BindingCopies(const BindingCopies&) = delete;
  BindingCopies& operator=(const BindingCopies&) = delete;
  ~BindingCopies();

  // Replaces pointers to other memory. Bit i of `read_only` says that binding i
  // is not written. Charges `memory`, which may be null, for copies.
  // RESOURCE_EXHAUSTED: no memory for a copy. Else fails as MovePaid.
  absl::Status Add(const DispatchState& state, uint64_t read_only,
                   const std::shared_ptr<MemoryMeter>& memory,
                   std::span<void*> pointers);
  // Copies the bindings that may have been written to where they belong. Fails
  // as MovePaid.
  absl::Status WriteBack() const;
  bool empty() const { return copies_.empty(); }

 private:
  // A range of other memory and its copy.
  struct Copy {
    uint8_t* begin;
    uint8_t* end;
    uint8_t* memory = nullptr;
  };

  // Allocates a copy of its range, and fills it.
  absl::Status Fill(Copy& copy) const;
  // Copies bytes.
  absl::Status Move(uint8_t* to, const uint8_t* from, size_t length) const;
  // Joins the range with those that overlap it.
  void Join(uint8_t* begin, uint8_t* end);
  // Returns where the copies have a byte.
  uint8_t* Find(const uint8_t* original) const;

  SharedHeap& heap_;
  WorkBudget* const work_;
  MemoryCharge charge_;
  std::vector<Copy> copies_;  // do not overlap
  std::vector<std::span<uint8_t>> written_;
};

}  // namespace eyrie::hal::cpu::isolate

#endif  // EYRIE_HAL_CPU_ISOLATE_BINDING_COPIES_H_
