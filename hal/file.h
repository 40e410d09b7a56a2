// A source or sink of bytes that queues read from and write to.
//
// Concurrent reads are safe; writes must be ordered by the caller.
// Tested by buffer_test.cc.
#ifndef EYRIE_HAL_FILE_H_
#define EYRIE_HAL_FILE_H_

#include <cstdint>
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

  uint64_t length() const { return contents_.size(); }
  MemoryAccess allowed_access() const { return access_; }
  // Copy bytes at `offset` (in bytes) from or to the file. OUT_OF_RANGE: the
  // range exceeds the file. PERMISSION_DENIED: not readable, or not writable.
  absl::Status Read(uint64_t offset, std::span<uint8_t> target) const;
  absl::Status Write(uint64_t offset, std::span<const uint8_t> source);

 private:
  std::span<uint8_t> contents_;
  MemoryAccess access_;
  Ref<RefObject> keep_alive_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_FILE_H_
