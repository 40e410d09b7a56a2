// What imports of native functions share, whatever their convention: fences
// around a call, memory for results, sentences about arguments.
//
// Tested by memref/call_test.cc, tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_CALL_SUPPORT_H_
#define EYRIE_ABI_NATIVE_CALL_SUPPORT_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/fence.h"
#include "hal/types.h"
#include "vm/module.h"
#include "vm/value.h"

namespace eyrie::native {

// The fences of an import that has them, borrowed from its slots.
struct CallFences {
  hal::Fence* wait;    // may be null
  hal::Fence* signal;  // is not null
};

// Reads two slots. INVALID_ARGUMENT: no fences, or none to signal.
absl::StatusOr<CallFences> ReadFences(const vm::Slot* slots);

// Waits within the limits of the call that runs, if there is one. Fails as
// Fence::Wait; DEADLINE_EXCEEDED or CANCELLED: the call is stopped.
absl::Status WaitWithinLimits(const hal::Fence& fence,
                              const vm::ModuleState& state);

// Signals the fence, or fails it: with the status, or because it cannot be
// signalled.
void EndFence(const hal::Fence& signal, const absl::Status& status);

// Memory that the host sees, for results. `owner` is as in BufferParams.
hal::BufferParams ResultParams(uint64_t owner);

// "Argument 1 of the function is null; a !hal.buffer_view is required."
absl::Status NoViewError(size_t index, absl::string_view callee,
                         const RefObject* object);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_CALL_SUPPORT_H_
