// Runs recorded commands on the calling thread.
//
// Tested by device_test.cc.
#ifndef EYRIE_HAL_CPU_EXECUTOR_H_
#define EYRIE_HAL_CPU_EXECUTOR_H_

#include <span>

#include "absl/status/status.h"
#include "hal/command_buffer.h"
#include "hal/cpu/allocator.h"

namespace eyrie::hal::cpu {

// Runs finalized commands in order, up to the first that fails. The table has
// passed ValidateTable. `allocator` gives workgroups their local memory.
// FAILED_PRECONDITION: a buffer that the host cannot see, or an executable of
// another driver. INVALID_ARGUMENT: workgroup counts, a binding's alignment or
// a copy's lengths that show only now. INTERNAL: a kernel that fails.
absl::Status Execute(const CommandBuffer& commands,
                     std::span<const BufferBinding> table,
                     Allocator& allocator);

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_EXECUTOR_H_
