// A source or sink of bytes that queues read from and write to: host memory, or
// a function of the host that reads.
//
// Concurrent reads are safe; writes must be ordered by the caller.
// Tested by buffer_test.cc.
#ifndef EYRIE_HAL_FILE_H_
#define EYRIE_HAL_FILE_H_

#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "base/charged_object.h"
#include "base/ref.h"
#include "hal/types.h"

namespace eyrie::hal {

class File final : public ChargedObject {
 public:
  static constexpr RefType kType{"hal.file"};

  // Creates a file over host memory, and retains `keep_alive`, which owns that
  // memory. It is readable with kRead in `access`, writable with kWrite.
  File(std::span<uint8_t> contents, MemoryAccess access,
       Ref<RefObject> keep_alive)
      : ChargedObject(kType),
        contents_(contents),
        access_(access),
        keep_alive_(std::move(keep_alive)) {}

  // Fills the target with the bytes at an offset. May be called on any thread,
  // and on several at the same time.
  using Reader =
      std::function<absl::Status(uint64_t offset, std::span<uint8_t> target)>;
  // Creates a readable file of `length` bytes that a function reads. Retains
  // `keep_alive`.
  File(uint64_t length, Reader reader, Ref<RefObject> keep_alive)
      : ChargedObject(kType),
        access_(memory_access::kRead),
        keep_alive_(std::move(keep_alive)),
        reader_(std::move(reader)),
        length_(length) {}

  uint64_t length() const { return reader_ ? length_ : contents_.size(); }
  MemoryAccess allowed_access() const { return access_; }
  // Copy bytes at `offset` (in bytes) from or to the file. OUT_OF_RANGE: the
  // range exceeds the file. PERMISSION_DENIED: not readable, or not writable.
  // Read also returns the error of a Reader.
  absl::Status Read(uint64_t offset, std::span<uint8_t> target) const;
  absl::Status Write(uint64_t offset, std::span<const uint8_t> source);

 private:
  std::span<uint8_t> contents_;
  MemoryAccess access_;
  Ref<RefObject> keep_alive_;
  Reader reader_;  // null: the bytes are contents_
  uint64_t length_ = 0;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_FILE_H_
