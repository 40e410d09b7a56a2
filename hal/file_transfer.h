// Bytes between files and buffers, moved by the host: what every driver's queue
// reads and writes with once it is their turn.
//
// A buffer in memory that the host cannot see is moved by a copy, as Map says.
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

// The ranges have passed ValidateRead and ValidateWrite; `work` pays for the
// bytes, and may be null. Both fail as MovePaid, Buffer::Map and Unmap do, or
// as the file.
absl::Status ReadFile(WorkBudget* work, const File& source,
                      uint64_t source_offset, const BufferRef& target);
absl::Status WriteFile(WorkBudget* work, const BufferRef& source, File& target,
                       uint64_t target_offset);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_FILE_TRANSFER_H_
