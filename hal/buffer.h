// Device memory as modules hold it: a byte range of an allocation.
//
// A driver subclasses Buffer for its allocations; a subspan is a plain Buffer
// that keeps its allocation alive. Shapes and element types are BufferView's.
// The object is immutable and shared by threads; its contents are ordered by
// semaphores, never by locks.
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

  // A range of `buffer`'s bytes, sharing its allocation. kWholeBuffer as the
  // length means the rest. OUT_OF_RANGE: the range passes the buffer's end.
  // Returns `buffer` itself when the range is all of it.
  static absl::StatusOr<Ref<Buffer>> Subspan(Ref<Buffer> buffer,
                                             uint64_t offset, uint64_t length);

  // The buffer the driver allocated: this one, or the one this is a range of.
  Buffer& allocation() { return allocation_ ? *allocation_ : *this; }
  const Buffer& allocation() const {
    return allocation_ ? *allocation_ : *this;
  }
  // Offset of this range within the allocation, and its length, in bytes.
  uint64_t byte_offset() const { return byte_offset_; }
  uint64_t byte_length() const { return byte_length_; }

  MemoryType memory_type() const { return params_.type; }
  MemoryAccess allowed_access() const { return params_.access; }
  BufferUsage allowed_usage() const { return params_.usage; }
  const BufferParams& params() const { return params_; }

  // PERMISSION_DENIED: the buffer lacks a bit; the sentence names it, with the
  // buffer's own bits. Access means reading and writing; other bits of it, and
  // kAny, ask for nothing.
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
  // [offset, offset + length) within the buffer, kWholeBuffer resolved.
  absl::StatusOr<uint64_t> ResolveRange(uint64_t offset, uint64_t length) const;

  // Owners of an allocation as modules count them, beside references: one at
  // first. Discarding says whether that was the last one's.
  void PreserveOwner() { owners_.fetch_add(1, std::memory_order_relaxed); }
  bool DiscardOwner() {
    return owners_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  bool HasOneOwner() const {
    return owners_.load(std::memory_order_acquire) == 1;
  }

  // The range's address in host memory, or null where the host cannot see it.
  // Drivers' execution paths use it; everyone else maps.
  uint8_t* host_data() const { return host_data_; }

  // The bytes [offset, offset + length) where Read would copy them from as they
  // are; null: ask Read, which gets them, or says why not.
  const uint8_t* Peek(uint64_t offset, uint64_t length) const {
    const bool plain = host_data_ != nullptr &&
                       (params_.type & memory_type::kHostCoherent) != 0 &&
                       (params_.access & memory_access::kRead) != 0 &&
                       RangeFits(offset, length, byte_length_);
    return plain ? host_data_ + offset : nullptr;
  }
  // Host access to bytes [offset, offset + length). The span is valid until
  // Unmap or the buffer's end. A Map for write must be followed by Unmap for
  // the device to see it. Memory that the host cannot see is mapped as a copy,
  // by drivers that can: Map and Unmap then wait for the device.
  // FAILED_PRECONDITION names the memory type otherwise.
  absl::StatusOr<std::span<uint8_t>> Map(MemoryAccess access, uint64_t offset,
                                         uint64_t length);
  absl::Status Unmap(uint64_t offset, uint64_t length);

  // What the driver that allocated this knows of it, if `tag` is its own: of
  // other drivers, null. Of allocations.
  virtual const void* DriverData(const void* tag) const;

  // Copies between host memory and the buffer, through Map.
  absl::Status Read(uint64_t offset, std::span<uint8_t> target);
  absl::Status Write(uint64_t offset, std::span<const uint8_t> source);

 protected:
  // An allocation of `length` bytes; `host_data` null if not host-visible.
  Buffer(const BufferParams& params, uint64_t length, uint8_t* host_data);

  // Makes an allocation that nobody refers to stand for a new one.
  void Reset(const BufferParams& params, uint64_t length);

  // Drivers with non-coherent memory flush and invalidate here; offsets are
  // within the allocation.
  virtual absl::Status Invalidate(uint64_t offset, uint64_t length);
  virtual absl::Status Flush(uint64_t offset, uint64_t length);

  // Host access where `host_data` is null; as Map and Unmap, within the
  // allocation.
  virtual absl::StatusOr<std::span<uint8_t>> MapCopy(MemoryAccess access,
                                                     uint64_t offset,
                                                     uint64_t length);
  virtual absl::Status UnmapCopy(uint64_t offset, uint64_t length);

  ~Buffer() override = default;

 private:
  Buffer(Ref<Buffer> allocation, uint64_t offset, uint64_t length);
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
