// Translates verified functions into the form that the interpreter runs.
//
// Tested by lowering_test.cc.
#ifndef EYRIE_VM_LOWER_LOWERING_H_
#define EYRIE_VM_LOWER_LOWERING_H_

#include <cstdint>
#include <span>

#include "vm/lower/function_code.h"
#include "vm/lower/lowered.h"
#include "vm/module/verifier.h"

namespace eyrie::vm {

// The longest function that is lowered, in bytes of bytecode. 32-bit jumps
// reach everywhere in the lowered code of a function of this length.
inline constexpr uint32_t kMaxFunctionBytes = uint32_t{1} << 26;

// Lowers functions[ordinal]. `functions` are all functions of the module; calls
// refer to them by address. If `pauses`, the code calls the context's Stepper
// before each instruction. If `places` is not null, it receives which bytecode
// each instruction comes from. Returns no code if there is not enough memory.
LoweredCode Lower(const VerifiedModule& module,
                  std::span<const FunctionCode> functions, uint32_t ordinal,
                  bool pauses, FindHandler handler,
                  LoweredPlaces* places = nullptr);

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LOWER_LOWERING_H_
