// Where a device's buffers come from.
//
// Thread-safe. Statistics count bytes by kind of memory.
#ifndef EYRIE_HAL_ALLOCATOR_H_
#define EYRIE_HAL_ALLOCATOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "hal/buffer.h"
#include "hal/types.h"

namespace eyrie::hal {

// Bytes since the allocator was made. Imported memory is not counted.
struct MemoryStatistics {
  uint64_t peak = 0;
  uint64_t allocated = 0;
  uint64_t freed = 0;
  uint64_t live() const { return allocated - freed; }
};

struct AllocatorStatistics {
  MemoryStatistics host_local;
  MemoryStatistics device_local;
  // The text of --print_statistics, without the title line: two lines.
  std::string ToString() const;
};

class Allocator : public RefObject {
 public:
  static constexpr RefType kType{"hal.allocator"};

  // A buffer of `size` bytes (0 is allowed), aligned to 64 at least; contents
  // are zero, or undefined where only this context's bytes could be seen.
  // RESOURCE_EXHAUSTED: the size asked for and what limits it.
  // INVALID_ARGUMENT: a memory type the device does not have.
  virtual absl::StatusOr<Ref<Buffer>> Allocate(const BufferParams& params,
                                               uint64_t size) = 0;

  // What a buffer of `size` bytes takes in all, its object and what its size
  // is rounded up to included.
  virtual uint64_t Footprint(uint64_t size) const = 0;
  // The charge for that; empty if `memory` is null. RESOURCE_EXHAUSTED: `what`
  // passes the limit.
  absl::StatusOr<MemoryCharge> Charge(
      const std::shared_ptr<MemoryMeter>& memory, uint64_t size,
      absl::string_view what) const;
  // Allocates a buffer that holds its charge.
  absl::StatusOr<Ref<Buffer>> AllocateCharged(
      const std::shared_ptr<MemoryMeter>& memory, absl::string_view what,
      const BufferParams& params, uint64_t size);

  // A buffer over host memory, without a copy. `release` runs when the last
  // reference goes. UNAVAILABLE: this memory cannot be imported (alignment, or
  // read-only memory asked for with write access); the caller then copies.
  virtual absl::StatusOr<Ref<Buffer>> ImportHost(
      const BufferParams& params, std::span<uint8_t> bytes,
      std::function<void()> release) = 0;

  // True if the device may be handed the buffer: it is of this allocator, or
  // in memory within the device's reach. What is not goes to and fro by copy
  // (device_group.h).
  virtual bool CanUse(const Buffer& buffer) const = 0;

  virtual AllocatorStatistics statistics() const = 0;

  // An id for BufferParams::owner that nobody else has: one per context.
  virtual uint64_t NewOwner() = 0;

 protected:
  Allocator() : RefObject(kType) {}
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_ALLOCATOR_H_
