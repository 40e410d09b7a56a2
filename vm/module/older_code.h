// Rewrites the functions of bytecode 13 with the instructions of bytecode 15.
//
// Bytecode 13 differs in four ways (docs/module_format.md): it does not mark
// where blocks begin, buffer.alloc and buffer.clone have no alignment,
// buffer.fill counts bytes instead of elements, and only exported functions
// have a signature. The signatures of others are those of their first call.
// Tested by older_code_test.cc, testing/module_fuzz.cc.
#ifndef EYRIE_VM_MODULE_OLDER_CODE_H_
#define EYRIE_VM_MODULE_OLDER_CODE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace eyrie::vm {

// A function in a file with bytecode 13.
struct OlderFunction {
  std::span<const uint8_t> code;
  uint16_t i32_registers;
};

// The rewritten functions. Immutable.
struct OlderCode {
  struct Function {
    uint32_t offset = 0;  // in `bytecode`; a multiple of 8
    uint32_t size = 0;
    uint32_t requirements = 0;  // Feature bits
    uint16_t block_count = 0;
    uint16_t i32_registers = 0;
    std::string convention;  // of its first call, or of its first return
    // The offset of each instruction in the file and in `bytecode`, both from
    // the start of the function; ascending.
    std::vector<std::pair<uint32_t, uint32_t>> offsets;
  };
  std::vector<uint8_t> bytecode;  // of all functions
  std::vector<Function> functions;

  // Returns where the instruction at this offset of the file is now, or, if no
  // instruction is there, the next one; UINT32_MAX if none follows.
  uint32_t OffsetOf(uint32_t function, uint32_t offset) const;
};

// Returns INVALID_ARGUMENT, OUT_OF_RANGE or UNIMPLEMENTED if an instruction
// cannot be decoded or a branch leads nowhere, and RESOURCE_EXHAUSTED if there
// is not enough memory.
absl::StatusOr<std::shared_ptr<const OlderCode>> RewriteOlderCode(
    std::span<const OlderFunction> functions);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_OLDER_CODE_H_
