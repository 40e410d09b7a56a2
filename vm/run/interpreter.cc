// The dispatch loop has one label for each row of opcodes.def and lowered.def;
// each ends with its own jump to the next instruction (computed goto). A row
// without an Exec body does not compile.
#include "vm/run/interpreter.h"

#include <utility>

#include "vm/isa/opcode.h"
#include "vm/run/decode.h"
#include "vm/run/exec_arith.h"
#include "vm/run/exec_buffer.h"
#include "vm/run/exec_control.h"
#include "vm/run/exec_convert.h"
#include "vm/run/exec_global.h"
#include "vm/run/exec_list.h"

namespace eyrie::vm {
namespace {

// The positions of the loop's labels, as distances in bytes from `base`; 0 for
// labels that do not exist. Distances need no relocation at the start of the
// program, but addresses would. A label that is never reached must be left out:
// GCC puts such code in a separate section, and the assembler cannot compute a
// distance between sections.
struct Labels {
  uintptr_t base;
  const int32_t* rows[4];  // by form
};

// Runs `machine`. If `labels` is not null, stores the labels' positions there
// instead, since only this function can take their addresses.
[[gnu::noinline]] Outcome Loop(Machine* machine, Labels* labels) {
#define EYRIE_VM_DISTANCE(label)                          \
  static_cast<int32_t>(reinterpret_cast<char*>(&&label) - \
                       reinterpret_cast<char*>(&&base))
  if (labels != nullptr) {
    static const int32_t kOps[] = {
#define OP(set, code, name, ...) \
  kIsLoweredAway<&Exec##name> ? 0 : EYRIE_VM_DISTANCE(L_##name),
#include "vm/isa/opcodes.def"
#undef OP
    };
    static const int32_t kBranches[] = {
#define OP(set, code, name, ...) \
  InfoOf(Op::k##name).has(kCompares) ? EYRIE_VM_DISTANCE(B_##name) : 0,
#include "vm/isa/opcodes.def"
#undef OP
    };
    static const int32_t kTurns[] = {
#define OP(set, code, name, ...) \
  InfoOf(Op::k##name).has(kCompares) ? EYRIE_VM_DISTANCE(T_##name) : 0,
#include "vm/isa/opcodes.def"
#undef OP
    };
    static const int32_t kLowered[] = {
#define LOWERED(name, body) EYRIE_VM_DISTANCE(X_##name),
#include "vm/lower/lowered.def"
#undef LOWERED
    };
    *labels = {reinterpret_cast<uintptr_t>(&&base),
               {kOps, kBranches, kTurns, kLowered}};
    return Outcome::kDone;
  }
#undef EYRIE_VM_DISTANCE

#define EYRIE_VM_NEXT() goto* LoweredAt<Handler>(c.pc)
#define EYRIE_VM_STEP(...)               \
  if (!__VA_ARGS__(m, c)) [[unlikely]] { \
    return m.outcome;                    \
  }                                      \
  EYRIE_VM_NEXT();

  Machine& m = *machine;
  Cursor c = m.Load();
base:
  EYRIE_VM_NEXT();

#define OP(set, code, name, ...)                                          \
  L_##name : EYRIE_VM_STEP((Step<Op::k##name, &Exec##name>)) B_##name     \
      : EYRIE_VM_STEP((StepAndBranch<Op::k##name, &Exec##name>)) T_##name \
      : EYRIE_VM_STEP((StepAndTurn<Op::k##name, &Exec##name>))
#include "vm/isa/opcodes.def"
#undef OP
#define LOWERED(name, body) X_##name : EYRIE_VM_STEP(body)
#include "vm/lower/lowered.def"
#undef LOWERED
#undef EYRIE_VM_STEP
#undef EYRIE_VM_NEXT
}

Handler Untraced(Form form, size_t row) {
  static const Labels kLabels = [] {
    Labels labels;
    Loop(nullptr, &labels);
    return labels;
  }();
  const int32_t distance = kLabels.rows[static_cast<size_t>(form)][row];
  if (distance == 0) __builtin_trap();
  return reinterpret_cast<Handler>(kLabels.base +
                                   static_cast<uintptr_t>(intptr_t{distance}));
}

Handler Traced(Form form, size_t row) {
  constexpr std::pair<Lowered, Lowered> kReplaced[] = {
      {Lowered::kLowerFunction, Lowered::kLowerFunctionTraced},
      {Lowered::kCallFunction, Lowered::kCallFunctionTraced},
      {Lowered::kCallImport, Lowered::kCallImportTraced},
      {Lowered::kReturnNothing, Lowered::kReturnNothingTraced},
      {Lowered::kReturn32, Lowered::kReturn32Traced},
      {Lowered::kReturn64, Lowered::kReturn64Traced},
      {Lowered::kReturnMany, Lowered::kReturnManyTraced},
  };
  for (const auto& [replaced, by] : kReplaced) {
    if (form == Form::kLowered && row == static_cast<size_t>(replaced)) {
      return Untraced(form, static_cast<size_t>(by));
    }
  }
  return Untraced(form, row);
}

// Instructions of one word that are the only one of their code.
struct LoneInstructions {
  Handler lower, lower_traced, enter;
};

const LoneInstructions& Alone() {
  const auto at = [](Lowered row) {
    return Untraced(Form::kLowered, static_cast<size_t>(row));
  };
  static const LoneInstructions kLone = {at(Lowered::kLowerFunction),
                                         at(Lowered::kLowerFunctionTraced),
                                         at(Lowered::kEnterCompiled)};
  return kLone;
}

}  // namespace

// Alternates between the loop and compiled code.
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

const Handlers& InterpreterHandlers() {
  static const Handlers kHandlers = {
      .find = {Untraced, Traced},
      .unlowered = {reinterpret_cast<const uint8_t*>(&Alone().lower),
                    reinterpret_cast<const uint8_t*>(&Alone().lower_traced)},
      .enter = reinterpret_cast<const uint8_t*>(&Alone().enter)};
  return kHandlers;
}

}  // namespace eyrie::vm
