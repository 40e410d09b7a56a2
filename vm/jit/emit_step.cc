#include "vm/jit/emit_step.h"

#include "vm/jit/homes.h"
#include "vm/jit/machine_code.h"

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
  const uint8_t* pc = function().Lowered() + current().offset;
  CallImport(code_, call, LoweredAt<LoweredCallImport>(pc).places());
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
