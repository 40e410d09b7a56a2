// The code between compiled functions and C++, which all modules share.
#ifndef EYRIE_VM_JIT_THUNKS_H_
#define EYRIE_VM_JIT_THUNKS_H_

#include "absl/status/statusor.h"
#include "vm/compiled.h"
#include "vm/jit/code_memory.h"

namespace eyrie::vm::jit {

// PERMISSION_DENIED, RESOURCE_EXHAUSTED: as CodeMemory::Publish.
absl::StatusOr<CompiledThunks> MakeThunks(CodeMemory& memory);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_THUNKS_H_
