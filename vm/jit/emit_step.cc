#include "vm/jit/emit_step.h"

#include "vm/jit/homes.h"
#include "vm/jit/layout.h"

namespace eyrie::vm::jit {
namespace {

class StepEmitter : public Homes {
 public:
  using Homes::Homes;

  void EmitStep();
  void StoreOperands();
  void LoadResults();

 private:
  void EmitImport();
};

void StepEmitter::EmitStep() {
  if (current().is(Lowered::kCallImport)) {
    code_.Charge();
    EmitImport();
  } else {
    code_.Call(Assembly::Stub::kStep);
  }
  Reload();
  LoadResults();
}

void StepEmitter::StoreOperands() {
  for (const Access& access : Accesses()) {
    if (!access.written) StoreHome(access);
  }
}

void StepEmitter::LoadResults() {
  for (const Access& access : Accesses()) {
    if (access.written) LoadHome(access);
  }
}

void StepEmitter::EmitImport() {
  const auto& call = LoweredAt<LoweredCallImport>(current().at);
  if (call.yieldable != 0) return code_.Call(Assembly::Stub::kYieldable);
  a_.mov(x86::rax, State(offsetof(CompiledState, imports), 8));
  if (call.import != 0) a_.add(x86::rax, call.import * ImportLayout::kSize);
  a_.lea(x86::rsi,
         x86::ptr(kFrame, static_cast<int32_t>(function().frame_bytes)));
  const uint8_t* pc = function().Lowered() + current().offset;
  const auto* places = LoweredAt<LoweredCallImport>(pc).places();
  a_.mov(x86::rdx, reinterpret_cast<uint64_t>(places));
  a_.mov(x86::rcx, reinterpret_cast<uint64_t>(&function()));
  a_.call(State(offsetof(CompiledState, thunks.import), 8));
}

}  // namespace

void EmitStep(Assembly& code) { StepEmitter(code).EmitStep(); }

void EmitSlowStep(Assembly& code) {
  StepEmitter emitter(code);
  emitter.StoreOperands();
  code.Call(Assembly::Stub::kSlowStep);
  emitter.LoadResults();
}

void EmitLeave(Assembly& code) {
  StepEmitter(code).StoreOperands();
  code.Call(Assembly::Stub::kLeave);
}

}  // namespace eyrie::vm::jit
