#include "vm/jit/emitter.h"

#include <utility>

#include "vm/jit/emit_call.h"
#include "vm/jit/emit_control.h"
#include "vm/jit/emit_element.h"
#include "vm/jit/emit_entry.h"
#include "vm/jit/emit_float.h"
#include "vm/jit/emit_integer.h"
#include "vm/jit/emit_object.h"
#include "vm/jit/emit_step.h"
#include "vm/jit/homes.h"
#include "vm/jit/machine_code.h"
#include "vm/jit/treatment.h"

namespace eyrie::vm::jit {

Emitter::Emitter(Body body, Inlined inlined, std::vector<View> views,
                 asmjit::CodeHolder& code, Looks& looks)
    : looks_(looks),
      code_(std::move(body), std::move(views), code),
      a_(code_.assembler()),
      inlined_(std::move(inlined)),
      checks_(FindChecks(code_.own().program, code_.own().webs, code_.views(),
                         looks)) {
  for (const auto& [guard, run] : checks_.guards) {
    if (!run_ends_.contains(run.last)) run_ends_[run.last] = a_.newLabel();
  }
}

Marks Emitter::Run() {
  EmitEntry(code_);
  const auto blocks = static_cast<uint32_t>(code_.own().program.blocks.size());
  for (uint32_t b = 0; b < blocks && !looks_.stopped(); ++b) EmitBlock(b);
  Trap(code_);
  Marks& marks = code_.marks();
  marks.entry = EmitFrameEntry(code_);
  const std::vector<uint8_t>& kept = code_.residents().kept();
  code_.NoteDepth(PushedWords(kept.size()));
  for (size_t i = 0; i < code_.slows().size(); ++i) {
    if (looks_.Stop()) return {};
    EmitSlow(Slow(code_.slows()[i]));
  }
  code_.NoteDepth(0);
  code_.EmitStubs();
  code_.EmitTables(looks_);
  code_.constants().Emit(a_, looks_);
  marks.words = KeptWords(kept.size());
  marks.unwinding.pushed = PushedRegisters(kept);
  return std::move(marks);
}

// Views are read on the edges that enter the loop, not on its backward edges.
void Emitter::EmitBlock(uint32_t block) {
  if (const asmjit::Label* outside = code_.labels().Outside(block)) {
    a_.bind(*outside);
    for (const View& view : code_.views()) {
      if (view.head == block) Homes(code_).LoadView(view);
    }
  }
  a_.bind(code_.labels().Inside(block));
  code_.MoveToBlock(block);
  const Block& at = code_.own().program.blocks[block];
  for (uint32_t n = at.first; n < at.end; ++n) {
    if (looks_.Stop()) return;
    EmitInstruction(n);
    const auto end = run_ends_.find(n);
    if (end != run_ends_.end()) a_.bind(end->second);
  }
}

void Emitter::EmitInstruction(uint32_t number) {
  code_.MoveTo(number);
  const Instruction& i = code_.current();
  if (TreatmentOf(i) == Treatment::kStep) return EmitStep(code_);
  if (i.form == Form::kOp &&
      (EmitInteger(code_) || EmitFloat(code_) || EmitObject(code_) ||
       EmitElement(code_, checks_))) {
    return;
  }
  if (i.is(Lowered::kCallFunction)) return EmitCall();
  if (IsReturn(i)) return EmitReturn(code_);
  if (!EmitControl(code_)) code_.RefuseFunction();
}

void Emitter::EmitCall() {
  if (!PassArguments(code_)) return;
  const auto inlined = inlined_.find(code_.place().number);
  if (inlined != inlined_.end()) {
    EmitInlined(*inlined->second);
  } else {
    CallCompiled(code_);
  }
  TakeResults(code_);
}

void Emitter::EmitInlined(const Body& callee) {
  const Assembly::Place call = code_.place();
  code_.set_place({&callee, nullptr, 0, call.block});
  TakeArguments(code_);
  const auto last =
      static_cast<uint32_t>(callee.program.instructions.size()) - 1;
  for (uint32_t n = 0; n < last; ++n) EmitInstruction(n);
  code_.MoveTo(last);
  ReturnNumber(code_);
  code_.set_place(call);
}

void Emitter::EmitSlow(const Slow& slow) {
  code_.MoveTo(slow.instruction);
  a_.bind(slow.entry);
  switch (slow.kind) {
    case Slow::Kind::kLeave:
      return EmitLeave(code_);
    case Slow::Kind::kStep: {
      EmitSlowStep(code_);
      const auto run = checks_.guards.find(slow.instruction);
      if (run != checks_.guards.end() && !slow.again) {
        return EmitAgain(run->first, run->second);
      }
      return Jump(code_, slow.back);
    }
    case Slow::Kind::kCharge:
      code_.Call(Assembly::Stub::kCharge);
      Jump(code_, slow.back);
      if (TakesFuel(code_.current())) EmitTurnEntry(code_, slow.back);
      return;
  }
}

void Emitter::EmitAgain(uint32_t guard, const Checks::Guard& run) {
  code_.set_again(true);
  code_.MoveToBlock(run.block);
  for (uint32_t n = guard + 1; n <= run.last && !looks_.Stop(); ++n) {
    EmitInstruction(n);
  }
  code_.set_again(false);
  Jump(code_, run_ends_[run.last]);
}

}  // namespace eyrie::vm::jit
