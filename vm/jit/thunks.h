// The code between compiled functions and C++, which all modules share.
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
  // What debuggers are told.
  const uint8_t* code;
  uint64_t size;
  std::vector<CodeName> names;
  Unwinding unwinding;
};

// PERMISSION_DENIED, RESOURCE_EXHAUSTED: as CodeMemory::Publish.
absl::StatusOr<ThunkCode> CreateThunks(CodeMemory& memory);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_THUNKS_H_
