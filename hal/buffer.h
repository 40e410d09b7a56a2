// Device memory as modules see it: a byte range of an allocation.
//
// Drivers subclass Buffer for their allocations; a subspan is a plain Buffer
// that retains its allocation. Shapes and element types are in BufferView. The
// object is immutable and may be shared by threads. Accesses to its contents
// must be ordered by semaphores; no lock guards them.
// Tested by buffer_test.cc.
#ifndef EYRIE_HAL_BUFFER_H_
#define EYRIE_HAL_BUFFER_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "base/charged_object.h"
#include "base/checked_math.h"
#include "base/ref.h"
#include "hal/types.h"

namespace eyrie::hal {

class Buffer : public ChargedObject {
 public:
  static constexpr RefType kType{"hal.buffer"};

  // Returns a range of `buffer` that shares its allocation, or `buffer` itself
  // if the range is all of it. A length of kWholeBuffer means up to the end.
  // OUT_OF_RANGE: the range exceeds the buffer.
  static absl::StatusOr<Ref<Buffer>> Subspan(Ref<Buffer> buffer,
                                             uint64_t offset, uint64_t length);

  // Returns the same range of the same allocation without write access.
  static Ref<Buffer> ReadOnly(Ref<Buffer> buffer);

  // Returns the buffer that the driver allocated: this one, or the one that it
  // is a range of.
  Buffer& allocation() { return allocation_ ? *allocation_ : *this; }
  const Buffer& allocation() const {
    return allocation_ ? *allocation_ : *this;
  }
  // Offset of this range in the allocation, and its length, in bytes.
  uint64_t byte_offset() const { return byte_offset_; }
  uint64_t byte_length() const { return byte_length_; }

  MemoryType memory_type() const { return params_.type; }
  MemoryAccess allowed_access() const { return params_.access; }
  BufferUsage allowed_usage() const { return params_.usage; }
  const BufferParams& params() const { return params_; }

  // PERMISSION_DENIED: the buffer lacks a required bit; the message names it
  // and the buffer's own bits. CheckAccess looks at kRead and kWrite alone, and
  // accepts everything if kAny is set.
  absl::Status CheckAccess(MemoryAccess required) const;
  absl::Status CheckUsage(BufferUsage required) const {
    if ((required & ~params_.usage) == 0) [[likely]]
      return absl::OkStatus();
    return LacksUsage(required);
  }
  absl::Status CheckMemoryType(MemoryType required) const {
    if ((required & ~params_.type) == 0) [[likely]]
      return absl::OkStatus();
    return LacksMemoryType(required);
  }
  // Returns the length of the range, with kWholeBuffer resolved. OUT_OF_RANGE:
  // the range exceeds the buffer.
  absl::StatusOr<uint64_t> ResolveRange(uint64_t offset, uint64_t length) const;

  // The module-visible count of an allocation's owners, separate from
  // references; it starts at 1. DiscardOwner reports whether it dropped the
  // last one.
  void PreserveOwner() { owners_.fetch_add(1, std::memory_order_relaxed); }
  bool DiscardOwner() {
    return owners_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  // Gives this allocation the count of another one, of which it is a copy.
  void TakeOwnersOf(const Buffer& other) {
    owners_.store(other.owners_.load(std::memory_order_acquire),
                  std::memory_order_relaxed);
  }
  bool HasOneOwner() const {
    return owners_.load(std::memory_order_acquire) == 1;
  }

  // Returns the range's address in host memory, or null if the host cannot see
  // it. For drivers; other code must use Map.
  uint8_t* host_data() const { return host_data_; }

  // Returns the address of bytes [offset, offset + length) if they can be read
  // in place; else null, and the caller must use Read.
  const uint8_t* Peek(uint64_t offset, uint64_t length) const {
    const bool plain = host_data_ != nullptr &&
                       (params_.type & memory_type::kHostCoherent) != 0 &&
                       (params_.access & memory_access::kRead) != 0 &&
                       RangeFits(offset, length, byte_length_);
    return plain ? host_data_ + offset : nullptr;
  }
  // Maps bytes [offset, offset + length) for the host. The span is valid until
  // Unmap or until the buffer is destroyed. Writes reach the device at Unmap.
  // If the host cannot see the memory, drivers that support it map a copy; Map
  // and Unmap then wait for the device.
  // FAILED_PRECONDITION: the host cannot see the memory, and the driver cannot
  // map a copy. OUT_OF_RANGE, PERMISSION_DENIED: as ResolveRange, CheckAccess.
  absl::StatusOr<std::span<uint8_t>> Map(MemoryAccess access, uint64_t offset,
                                         uint64_t length);
  absl::Status Unmap(uint64_t offset, uint64_t length);

  // Returns the driver's own data of an allocation if `tag` is the tag of the
  // driver that allocated it, else null. Call it on allocation().
  virtual const void* DriverData(const void* tag) const;

  // Copies between host memory and the buffer, through Map.
  absl::Status Read(uint64_t offset, std::span<uint8_t> target);
  absl::Status Write(uint64_t offset, std::span<const uint8_t> source);

 protected:
  // Creates an allocation of `length` bytes; `host_data` is null if the host
  // cannot see it.
  Buffer(const BufferParams& params, uint64_t length, uint8_t* host_data);

  // Reuses an unreferenced allocation as a new one.
  void Reset(const BufferParams& params, uint64_t length);

  // Overridden by drivers with non-coherent memory. Offsets are relative to the
  // allocation.
  virtual absl::Status Invalidate(uint64_t offset, uint64_t length);
  virtual absl::Status Flush(uint64_t offset, uint64_t length);

  // Implement Map and Unmap if `host_data` is null. Offsets are relative to the
  // allocation.
  virtual absl::StatusOr<std::span<uint8_t>> MapCopy(MemoryAccess access,
                                                     uint64_t offset,
                                                     uint64_t length);
  virtual absl::Status UnmapCopy(uint64_t offset, uint64_t length);

  ~Buffer() override = default;

 private:
  // Creates a range of `buffer`, at an offset within it.
  Buffer(Ref<Buffer> buffer, uint64_t offset, uint64_t length);
  absl::Status LacksUsage(BufferUsage required) const;
  absl::Status LacksMemoryType(MemoryType required) const;

  std::atomic<uint32_t> owners_{1};  // see PreserveOwner
  Ref<Buffer> allocation_;           // null for an allocation itself
  uint64_t byte_offset_ = 0;
  uint64_t byte_length_;
  BufferParams params_;
  uint8_t* host_data_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_BUFFER_H_
