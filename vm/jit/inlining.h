// Short functions whose code is copied to their calls.
//
// Such a function computes one number from its arguments, in registers that
// callers do not rely on. It does not use its frame, has no calls, loops or
// instructions that may enter the interpreter. So its missing frame cannot be
// observed. Fuel for the call and room for the frame are still checked. Without
// copies, a loop that calls such a function takes 1.9 times as long.
#ifndef EYRIE_VM_JIT_INLINING_H_
#define EYRIE_VM_JIT_INLINING_H_

#include <cstdint>
#include <map>
#include <memory>

#include "vm/jit/body.h"

namespace eyrie::vm::jit {

// Returns the functions to copy, by the index of the call instruction. Finds
// fewer if the compiler must stop.
using Inlined = std::map<uint32_t, std::shared_ptr<const Body>>;
Inlined FindInlined(const Program& program, Looks& looks);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_INLINING_H_
