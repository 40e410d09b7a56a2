// The interpreter's instruction bodies as functions, which compiled code calls
// for instructions that it does not implement.
// Tested by tests/vm/rows_test.cc.
#include <type_traits>

#include "vm/run/compiled.h"
#include "vm/run/decode.h"
#include "vm/run/exec_arith.h"
#include "vm/run/exec_buffer.h"
#include "vm/run/exec_control.h"
#include "vm/run/exec_convert.h"
#include "vm/run/exec_global.h"
#include "vm/run/exec_list.h"

namespace eyrie::vm {
namespace {

template <Op kOp, auto kBody>
constexpr CompiledStep StepFunction() {
  if constexpr (kIsLoweredAway<kBody> || kOp == Op::kCondBranch ||
                kOp == Op::kBranchTable) {
    return nullptr;  // control flow is always compiled
  } else {
    return [](Machine& m, const uint8_t* pc) {
      Cursor c = {pc, m.frame->i32, m.frame->refs};
      return Step<kOp, kBody>(m, c);
    };
  }
}

}  // namespace

const CompiledStep kCompiledStepTable[kOpCount] = {
#define OP(set, code, name, ...) StepFunction<Op::k##name, &Exec##name>(),
#include "vm/isa/opcodes.def"
#undef OP
};

}  // namespace eyrie::vm
