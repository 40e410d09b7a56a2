// The code between compiled functions and C++. All modules share it.
#ifndef EYRIE_VM_JIT_THUNKS_H_
#define EYRIE_VM_JIT_THUNKS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "vm/jit/code_memory.h"
#include "vm/jit/gdb.h"
#include "vm/jit/unwinding.h"
#include "vm/run/compiled.h"

namespace eyrie::vm::jit {

struct ThunkCode {
  CompiledThunks thunks;
  // For debuggers.
  const uint8_t* code;
  uint64_t size;
  std::vector<CodeName> names;
  Unwinding unwinding;
};

// Returns the errors of CodeMemory::Publish.
absl::StatusOr<ThunkCode> CreateThunks(CodeMemory& memory);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_THUNKS_H_
