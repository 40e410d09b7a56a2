// Helpers for imports of native functions in any convention: fences around a
// call, memory for results, error messages about arguments.
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
#include "vm/isa/value.h"
#include "vm/module/module.h"

namespace eyrie::native {

// The fences of an import, borrowed from its slots.
struct CallFences {
  hal::Fence* wait;    // may be null
  hal::Fence* signal;  // never null
};

// Reads two slots. INVALID_ARGUMENT: a slot holds something else than a fence,
// or the fence to signal is null.
absl::StatusOr<CallFences> ReadFences(const vm::Slot* slots);

// Waits within the limits of the running call, if there is one. Returns the
// errors of Fence::Wait. DEADLINE_EXCEEDED or CANCELLED: the call was stopped.
absl::Status WaitWithinLimits(const hal::Fence& fence,
                              const vm::ModuleState& state);

// Signals the fence if `status` is OK; otherwise, or if signalling fails, fails
// the fence.
void EndFence(const hal::Fence& signal, const absl::Status& status);

// Returns parameters for results in host-visible memory. `owner` is as in
// BufferParams.
hal::BufferParams ResultParams(uint64_t owner);

// Returns the error "Argument 1 of the function is null; a !hal.buffer_view is
// required."
absl::Status NoViewError(size_t index, absl::string_view callee,
                         const RefObject* object);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_CALL_SUPPORT_H_
