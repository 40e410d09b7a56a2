// A function and where its numbers live: what code is made from.
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
  std::vector<Home> homes;  // by web
};

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_BODY_H_
