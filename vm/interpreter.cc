// One label per row of opcodes.def, each ending in a jump of its own to the
// next (computed goto). A row without an Exec body does not compile.
// Tested by interpreter_test.cc.
#include "vm/interpreter.h"

#include <array>
#include <cstddef>

#include "vm/decode.h"
#include "vm/exec_arith.h"
#include "vm/exec_buffer.h"
#include "vm/exec_control.h"
#include "vm/exec_convert.h"
#include "vm/exec_global.h"
#include "vm/exec_list.h"
#include "vm/opcode.h"

namespace eyrie::vm {
namespace {

// Where each byte leads: labels by instruction key, of all three sets. Bytes
// that mean nothing stay null; verified code has none.
struct DispatchTable {
  DispatchTable(const void* const* labels, const void* prefix_f32,
                const void* prefix_f64) {
    for (size_t i = 0; i < kOpCount; ++i) {
      by_key[static_cast<size_t>(kOps[i].op)] = labels[i];
    }
    by_key[kPrefixF32] = prefix_f32;
    by_key[kPrefixF64] = prefix_f64;
  }

  std::array<const void*, size_t{3} * 256> by_key = {};
};

}  // namespace

// GNU C++ has labels as values; -Wpedantic would mention it.
[[gnu::noinline]] Outcome Run(Machine& m) {
  static const void* const kLabels[kOpCount] = {
#define OP(set, code, name, ...) &&L_##name,
#include "vm/opcodes.def"
#undef OP
  };
  static const DispatchTable kTable(kLabels, &&PrefixF32, &&PrefixF64);
  const void* const* const labels = kTable.by_key.data();

#define EYRIE_VM_NEXT() goto* labels[*c.pc]
  Cursor c = m.Load();
  EYRIE_VM_NEXT();

PrefixF32:
  goto* labels[OpKey(OpSet::kF32, c.pc[1])];
PrefixF64:
  goto* labels[OpKey(OpSet::kF64, c.pc[1])];

#define OP(set, code, name, ...)                                       \
  L_##name : if (!Step<Op::k##name, &Exec##name>(m, c)) [[unlikely]] { \
    return m.outcome;                                                  \
  }                                                                    \
  EYRIE_VM_NEXT();
#include "vm/opcodes.def"
#undef OP
#undef EYRIE_VM_NEXT
}

}  // namespace eyrie::vm
