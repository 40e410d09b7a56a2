// Accesses of views whose index needs no check: one before them in their block,
// a guard, has checked that index of the same view.
//
// Where a guard finds its index out of bounds the interpreter's body may still
// do the work (of a list of other elements, say). What comes behind the guard,
// up to the last access that relies on it or on a guard in between, is then
// emitted once more, with all checks, away from the straight way. Tested by
// views_test.cc, tests/oracle.
#ifndef EYRIE_VM_JIT_CHECKS_H_
#define EYRIE_VM_JIT_CHECKS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "vm/jit/program.h"
#include "vm/jit/views.h"
#include "vm/jit/webs.h"

namespace eyrie::vm::jit {

struct Checks {
  struct Guard {
    uint32_t block;
    uint32_t last;  // instruction of the run that it guards
  };
  std::map<uint32_t, Guard> guards;  // by instruction
  std::vector<bool> spared;          // by instruction

  bool IsSpared(uint32_t instruction) const {
    return instruction < spared.size() && spared[instruction];
  }
};

Checks FindChecks(const Program& program, const Webs& webs,
                  const std::vector<View>& views);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_CHECKS_H_
