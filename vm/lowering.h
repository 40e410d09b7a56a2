// Brings verified functions into the form that the interpreter runs.
//
// Tested by lowering_test.cc.
#ifndef EYRIE_VM_LOWERING_H_
#define EYRIE_VM_LOWERING_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "vm/lowered.h"

namespace eyrie::vm {

class BytecodeModule;

// Code of one function. 8-byte words keep its instructions aligned.
using LoweredCode = std::vector<uint64_t>;

// Where instructions come from: offsets in the lowered code, ascending, and in
// the function's bytecode.
using LoweredPlaces = std::vector<std::pair<uint32_t, uint32_t>>;

// The longest function that is lowered, in bytes of bytecode: 32-bit jumps
// reach through what becomes of it.
inline constexpr uint32_t kMaxFunctionBytes = uint32_t{1} << 26;

// Lowers a function. With `places`, also says where instructions come from;
// the code is the same. Empty: there is no memory for it.
LoweredCode Lower(const BytecodeModule& module, uint32_t function,
                  FindHandler handler, LoweredPlaces* places = nullptr);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LOWERING_H_
