// Allocates and imports a device's buffers.
//
// Thread-safe. Statistics count bytes by kind of memory.
// Tested by cpu/allocator_test.cc.
#ifndef EYRIE_HAL_ALLOCATOR_H_
#define EYRIE_HAL_ALLOCATOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "hal/buffer.h"
#include "hal/host_memory.h"
#include "hal/types.h"

namespace eyrie::hal {

// Bytes since the allocator was created. Imported memory is not counted.
struct MemoryStatistics {
  uint64_t peak = 0;
  uint64_t allocated = 0;
  uint64_t freed = 0;
  uint64_t live() const { return allocated - freed; }
};

struct AllocatorStatistics {
  MemoryStatistics host_local;
  MemoryStatistics device_local;
  uint64_t idle = 0;  // bytes that are kept for new buffers
  std::optional<SharedStatistics> shared;  // of isolated devices
  // Returns the lines of --print_statistics after its title.
  std::string ToString() const;
};

// Memory of a device that other users of its API share, by a file descriptor.
struct ExternalMemory {
  enum class Kind { kOpaqueFd = 1, kDmaBuf = 2 };
  Kind kind = Kind::kOpaqueFd;
  int descriptor = -1;
  uint32_t memory_type = 0;  // its index on the device; not for dma-bufs
  uint64_t size = 0;         // of the memory, in bytes
  uint64_t offset = 0;       // of the buffer in the memory
};

class Allocator : public RefObject {
 public:
  static constexpr RefType kType{"hal.allocator"};

  // Allocates a buffer of `size` bytes (0 is allowed), aligned to at least 64
  // bytes. It reads as zeros, except for bytes that the owner in `params` wrote
  // earlier. RESOURCE_EXHAUSTED: the message has the size and the limit.
  // INVALID_ARGUMENT: the device does not have this memory type.
  virtual absl::StatusOr<Ref<Buffer>> Allocate(const BufferParams& params,
                                               uint64_t size) = 0;

  // Returns the bytes that a buffer of `size` bytes takes, including its object
  // and rounding.
  virtual uint64_t Footprint(uint64_t size) const = 0;
  // Charges Footprint(size) to `memory`; the charge is empty if `memory` is
  // null. RESOURCE_EXHAUSTED: the limit is exceeded; the message names `what`.
  absl::StatusOr<MemoryCharge> Charge(
      const std::shared_ptr<MemoryMeter>& memory, uint64_t size,
      absl::string_view what) const;
  // Allocates a buffer that holds its charge.
  absl::StatusOr<Ref<Buffer>> AllocateCharged(
      const std::shared_ptr<MemoryMeter>& memory, absl::string_view what,
      const BufferParams& params, uint64_t size);

  // Creates a buffer over host memory without copying it. `release` is called
  // when the last reference is dropped. UNAVAILABLE: this memory cannot be
  // imported (its alignment, or write access to read-only memory); the caller
  // should copy it instead.
  virtual absl::StatusOr<Ref<Buffer>> ImportHost(
      const BufferParams& params, std::span<uint8_t> bytes,
      std::function<void()> release) = 0;

  // Allocates a buffer of zeros in memory of its own, of the kind in `memory`,
  // which receives the rest. The caller owns the descriptor. UNIMPLEMENTED: the
  // device cannot export such memory. RESOURCE_EXHAUSTED: no memory.
  virtual absl::StatusOr<Ref<Buffer>> AllocateExternal(
      const BufferParams& params, uint64_t size, ExternalMemory& memory);
  // Creates a buffer of `size` bytes over external memory of the same device.
  // Duplicates the descriptor. UNIMPLEMENTED: the device cannot
  // import such memory, or the host cannot see it. INVALID_ARGUMENT: the
  // description is not valid, or the driver refuses it.
  virtual absl::StatusOr<Ref<Buffer>> ImportExternal(
      const BufferParams& params, uint64_t size, const ExternalMemory& memory);

  // Reports whether the device can use the buffer directly. If not, its bytes
  // are copied to the device and back (device_group.h).
  virtual bool CanUse(const Buffer& buffer) const = 0;

  virtual AllocatorStatistics statistics() const = 0;

  // Returns a new, unique id for BufferParams::owner. Each context takes one.
  virtual uint64_t NewOwner() = 0;

 protected:
  Allocator() : RefObject(kType) {}
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_ALLOCATOR_H_
