// A source or sink of bytes that queues read from and write to.
//
// Thread-safe for reads. A memory file borrows or keeps its storage.
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

  // A file over host memory that `keep_alive` owns. Writable only with
  // memory_access::kWrite.
  File(std::span<uint8_t> contents, MemoryAccess access,
       Ref<RefObject> keep_alive)
      : ChargedObject(kType),
        contents_(contents),
        access_(access),
        keep_alive_(std::move(keep_alive)) {}

  uint64_t length() const { return contents_.size(); }
  MemoryAccess allowed_access() const { return access_; }
  // OUT_OF_RANGE: past the end. PERMISSION_DENIED: not writable.
  absl::Status Read(uint64_t offset, std::span<uint8_t> target) const;
  absl::Status Write(uint64_t offset, std::span<const uint8_t> source);

 private:
  std::span<uint8_t> contents_;
  MemoryAccess access_;
  Ref<RefObject> keep_alive_;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_FILE_H_
