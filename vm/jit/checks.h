// Accesses of views whose index need not be checked, because an earlier access
// in their block, a guard, has checked the same index of the same view.
//
// If a guard finds its index out of bounds, the interpreter's body may still do
// the work, for example on a list of another element type. The code after the
// guard, up to the last access that relies on it or on a guard in between, is
// therefore emitted a second time, out of line and with all checks. Otherwise
// loops that change elements in place would take 9 to 17% longer.
// Tested by views_test.cc, tests/oracle.
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
    uint32_t last;  // last instruction of the code it guards
  };
  std::map<uint32_t, Guard> guards;  // by index of the instruction
  std::vector<bool> spared;          // the same

  bool IsSpared(uint32_t instruction) const {
    return instruction < spared.size() && spared[instruction];
  }
};

// Finds fewer if the compiler must stop.
Checks FindChecks(const Program& program, const Webs& webs,
                  const std::vector<View>& views, Looks& looks);

}  // namespace eyrie::vm::jit

#endif  // EYRIE_VM_JIT_CHECKS_H_
