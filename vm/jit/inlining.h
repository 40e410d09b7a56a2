// Short functions, whose code is copied to where they are called.
//
// Such a function computes one number from its arguments in registers that no
// caller counts on: it touches no frame, calls nothing, never turns, and has no
// instruction that may go to the interpreter. So nobody can see that it has no
// frame; fuel for the call, and room for the frame, are asked for as ever.
// Tested by calls_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_INLINING_H_
#define EYRIE_VM_JIT_INLINING_H_

#include <cstdint>
#include <map>
#include <memory>

#include "vm/jit/body.h"

namespace eyrie::vm::jit {

// What to copy, by the number of the instruction that calls it.
using Inlined = std::map<uint32_t, std::shared_ptr<const Body>>;
Inlined FindInlined(const Program& program);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_INLINING_H_
