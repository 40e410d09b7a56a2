// Runs a submission in parts, and calls an observer before and after its
// dispatches.
//
// Works with any driver: each part is a command buffer of its own, and the
// calling thread waits for its end.
// Tested by observed_commands_test.cc.
#ifndef EYRIE_HAL_OBSERVED_COMMANDS_H_
#define EYRIE_HAL_OBSERVED_COMMANDS_H_

#include <span>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "base/ref.h"
#include "hal/command_buffer.h"
#include "hal/device.h"
#include "hal/dispatch_observer.h"

namespace eyrie::hal {

// Submits commands, as Device::QueueExecute does.
using ExecuteCommands =
    absl::FunctionRef<absl::Status(const QueueFences&, Ref<CommandBuffer>)>;

// Runs `commands` through `execute`, as a whole if the observer wants none of
// its dispatches. Otherwise waits for `fences.wait` and for every part on this
// thread. DEADLINE_EXCEEDED, CANCELLED: the call was stopped while it waited.
// Otherwise fails as ValidateExecute, `execute` and the observer do; the caller
// must then fail `fences.signal`.
absl::Status ExecuteObserved(Device& device, const QueueFences& fences,
                             const Ref<CommandBuffer>& commands,
                             std::span<const BufferBinding> table,
                             DispatchObserver& observer,
                             ExecuteCommands execute);

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_OBSERVED_COMMANDS_H_
