// A call of an import, with its registers sorted by argument.
//
// Tested by shims_test.cc.
#ifndef EYRIE_TOOLS_UPGRADE_IMPORT_CALL_H_
#define EYRIE_TOOLS_UPGRADE_IMPORT_CALL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "vm/asm/instruction.h"
#include "vm/isa/callconv.h"
#include "vm/isa/opcode.h"

namespace eyrie::tools {

struct ImportCall {
  // By argument; for a variadic one, the registers of all its tuples.
  std::vector<std::vector<uint16_t>> arguments;
  std::vector<uint16_t> results;
  // The block that follows a call that may yield.
  std::optional<uint32_t> next;
};

// Returns the ordinal of the import that the instruction calls, or nullopt.
std::optional<uint32_t> CalledImport(const vm::Instruction& instruction);

// Sorts the registers of a verified call by the callee's convention.
ImportCall ReadImportCall(const vm::Instruction& instruction,
                          const vm::CallingConvention& convention);

// Returns the instruction that calls an import, which is given by its ordinal.
vm::Instruction MakeImportCall(const ImportCall& call, uint32_t import,
                               const vm::CallingConvention& convention);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_UPGRADE_IMPORT_CALL_H_
