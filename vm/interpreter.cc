// One label per row of opcodes.def and lowered.def, each ending in a jump of
// its own to the next (computed goto). A row without an Exec body does not
// compile.
// Tested by tests/vm/rows_test.cc.
#include "vm/interpreter.h"

#include <utility>

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

// Runs `machine`; with `table` instead only tells where the labels are, which
// nobody outside of this function can say.
[[gnu::noinline]] Outcome Loop(Machine* machine, HandlerTable* table) {
  if (table != nullptr) {
    *table = {
        {
#define OP(set, code, name, ...) &&L_##name,
#include "vm/opcodes.def"
#undef OP
        },
        {
#define OP(set, code, name, ...) &&B_##name,
#include "vm/opcodes.def"
#undef OP
        },
        {
#define OP(set, code, name, ...) &&T_##name,
#include "vm/opcodes.def"
#undef OP
        },
        {
#define LOWERED(name, body) &&X_##name,
#include "vm/lowered.def"
#undef LOWERED
        },
    };
    return Outcome::kDone;
  }

#define EYRIE_VM_NEXT() goto* LoweredAt<Handler>(c.pc)
#define EYRIE_VM_STEP(...)               \
  if (!__VA_ARGS__(m, c)) [[unlikely]] { \
    return m.outcome;                    \
  }                                      \
  EYRIE_VM_NEXT();

  Machine& m = *machine;
  Cursor c = m.Load();
  EYRIE_VM_NEXT();

#define OP(set, code, name, ...)                                          \
  L_##name : EYRIE_VM_STEP((Step<Op::k##name, &Exec##name>)) B_##name     \
      : EYRIE_VM_STEP((StepAndBranch<Op::k##name, &Exec##name>)) T_##name \
      : EYRIE_VM_STEP((StepAndTurn<Op::k##name, &Exec##name>))
#include "vm/opcodes.def"
#undef OP
#define LOWERED(name, body) X_##name : EYRIE_VM_STEP(body)
#include "vm/lowered.def"
#undef LOWERED
#undef EYRIE_VM_STEP
#undef EYRIE_VM_NEXT
}

const HandlerTable& UntracedHandlers() {
  static const HandlerTable kTable = [] {
    HandlerTable table;
    Loop(nullptr, &table);
    return table;
  }();
  return kTable;
}

HandlerTable Traced(HandlerTable table) {
  constexpr std::pair<Lowered, Lowered> kReplaced[] = {
      {Lowered::kLowerFunction, Lowered::kLowerFunctionTraced},
      {Lowered::kCallFunction, Lowered::kCallFunctionTraced},
      {Lowered::kCallImport, Lowered::kCallImportTraced},
      {Lowered::kReturnNothing, Lowered::kReturnNothingTraced},
      {Lowered::kReturn32, Lowered::kReturn32Traced},
      {Lowered::kReturn64, Lowered::kReturn64Traced},
      {Lowered::kReturnMany, Lowered::kReturnManyTraced},
  };
  for (const auto& [row, by] : kReplaced) {
    table.lowered[static_cast<size_t>(row)] =
        table.lowered[static_cast<size_t>(by)];
  }
  return table;
}

}  // namespace

// Compiled code takes turns with the loop.
Outcome Run(Machine& machine) {
  while (true) {
    Outcome outcome = Loop(&machine, nullptr);
    if (outcome != Outcome::kEnterCompiled) [[likely]]
      return outcome;
    outcome = machine.RunCompiled();
    if (outcome != Outcome::kInterpret) [[likely]]
      return outcome;
  }
}

const HandlerTable& InterpreterHandlers(bool traced) {
  if (!traced) [[likely]]
    return UntracedHandlers();
  static const HandlerTable kTraced = Traced(UntracedHandlers());
  return kTraced;
}

const uint8_t* UnloweredCode(bool traced) {
  // In either table, of which few programs have the second.
  const Lowered row =
      traced ? Lowered::kLowerFunctionTraced : Lowered::kLowerFunction;
  return reinterpret_cast<const uint8_t*>(
      &UntracedHandlers().lowered[static_cast<size_t>(row)]);
}

const uint8_t* EnterCode() {
  constexpr auto kEnter = static_cast<size_t>(Lowered::kEnterCompiled);
  return reinterpret_cast<const uint8_t*>(&UntracedHandlers().lowered[kEnter]);
}

}  // namespace eyrie::vm
