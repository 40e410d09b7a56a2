// Memory of the host for the results of a call.
//
// Tested by abi/c/lent_memory_test.cc.
#ifndef EYRIE_ABI_CALL_RESULT_MEMORY_H_
#define EYRIE_ABI_CALL_RESULT_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "hal/element_type.h"
#include "hal/host_memory.h"

namespace eyrie::abi {

// Allocates arrays. Each keeps the memory, and its charge, until it is
// destroyed, on any thread. Thread-compatible.
class ResultMemory {
 public:
  // The alignment of arrays, in bytes: devices can use them in place.
  static constexpr size_t kAlignment = 64;

  // `meter` counts the arrays; null if nothing does.
  ResultMemory(std::shared_ptr<hal::HostMemory> memory,
               std::shared_ptr<MemoryMeter> meter)
      : memory_(std::move(memory)), meter_(std::move(meter)) {}

  // Creates a dense array of zeros. RESOURCE_EXHAUSTED: the meter's limit is
  // exceeded, or the host has no memory. FAILED_PRECONDITION: the host's memory
  // is not aligned. INVALID_ARGUMENT: an array cannot have this type and shape.
  absl::StatusOr<HostValue> NewArray(hal::ElementType type,
                                     std::span<const int64_t> shape) const;

  // Replaces each array in the results, also in lists, tuples and dicts, by a
  // copy. Leaves those whose entry in `outs` is not null. Fails as NewArray
  // does.
  absl::Status Move(std::vector<HostValue>& results,
                    std::span<const HostValue* const> outs) const;

 private:
  struct Block;
  absl::StatusOr<std::shared_ptr<Block>> NewBlock(uint64_t size) const;
  absl::Status MoveValue(HostValue& value) const;

  std::shared_ptr<hal::HostMemory> memory_;
  std::shared_ptr<MemoryMeter> meter_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_RESULT_MEMORY_H_
