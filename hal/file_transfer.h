// Copies bytes between files and buffers on the host. Drivers use it to run
// QueueRead and QueueWrite.
//
// Buffers are accessed by Buffer::Map, so host-invisible memory is copied.
// Thread-compatible.
// Tested by tests/devices/queue_rows.cc, tests/devices/work_rows.cc.
#ifndef EYRIE_HAL_FILE_TRANSFER_H_
#define EYRIE_HAL_FILE_TRANSFER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "base/work_budget.h"
#include "hal/command_validator.h"
#include "hal/file.h"

namespace eyrie::hal {

// The ranges must have passed ValidateRead or ValidateWrite. `work` pays for
// the bytes; null: no limit. Both return the errors of MovePaid, of Buffer::Map
// and Unmap, and of the file.
absl::Status ReadFile(WorkBudget* work, const File& source,
                      uint64_t source_offset, const BufferRef& target);
absl::Status WriteFile(WorkBudget* work, const BufferRef& source, File& target,
                       uint64_t target_offset);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_FILE_TRANSFER_H_
