// Validates the arguments of queue operations, for all drivers. Recorded
// commands are validated by command_validator.h.
//
// Tested by tests/devices/queue_rows.cc.
#ifndef EYRIE_HAL_QUEUE_VALIDATOR_H_
#define EYRIE_HAL_QUEUE_VALIDATOR_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hal/command_buffer.h"
#include "hal/command_validator.h"
#include "hal/fence.h"
#include "hal/file.h"

namespace eyrie::hal {

// INVALID_ARGUMENT: the operation would wait for a point that only it signals.
absl::Status ValidateLoop(const Fence& wait, const Fence& signal);
inline absl::Status ValidateFences(const Fence& wait, const Fence& signal) {
  constexpr size_t kFewPairs = 64;
  if (wait.points().size() * signal.points().size() > kFewPairs) [[unlikely]]
    return ValidateLoop(wait, signal);
  for (const Fence::Point& until : wait.points()) {
    for (const Fence::Point& point : signal.points()) {
      if (until.semaphore == point.semaphore) return ValidateLoop(wait, signal);
    }
  }
  return absl::OkStatus();
}

// INVALID_ARGUMENT: `buffer` is null.
absl::Status ValidateDealloca(const Buffer* buffer);

// Return the buffer's range with its length resolved. INVALID_ARGUMENT: no file
// or buffer. OUT_OF_RANGE: past the end of the file or buffer.
// PERMISSION_DENIED: either does not allow the access or usage.
absl::StatusOr<BufferRef> ValidateRead(const File* source,
                                       uint64_t source_offset,
                                       const BufferRef& target);
absl::StatusOr<BufferRef> ValidateWrite(const BufferRef& source,
                                        const File* target,
                                        uint64_t target_offset);

// FAILED_PRECONDITION: the commands are not finalized. Else as ValidateTable.
absl::Status ValidateExecute(const CommandBuffer& commands,
                             std::span<const BufferBinding> table);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_QUEUE_VALIDATOR_H_
