// A function and the homes of its numbers: the input of the emitter.
#ifndef EYRIE_VM_JIT_BODY_H_
#define EYRIE_VM_JIT_BODY_H_

#include <vector>

#include "vm/jit/program.h"
#include "vm/jit/registers.h"
#include "vm/jit/webs.h"

namespace eyrie::vm::jit {

struct Body {
  Program program;
  Webs webs;
  std::vector<Home> homes;  // indexed by web
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_BODY_H_
