#include "vm/jit/assembly.h"

#include "vm/jit/machine_code.h"

namespace eyrie::vm::jit {
namespace {

// In the order of Assembly::Stub.
constexpr size_t kStubThunks[Assembly::kStubs] = {
    offsetof(CompiledState, thunks.step),
    offsetof(CompiledState, thunks.slow_step),
    offsetof(CompiledState, thunks.yieldable),
    offsetof(CompiledState, thunks.charge),
    offsetof(CompiledState, thunks.leave),
};

}  // namespace

Assembly::Assembly(Body body, std::vector<View> views, asmjit::CodeHolder& code)
    : own_(std::move(body)),
      views_(std::move(views)),
      residents_(own_),
      assembler_(NewAssembler(code)),
      a_(*assembler_),
      labels_(own_.program, views_, a_),
      place_{&own_, nullptr, 0, 0},
      entry_(a_.newLabel()) {
  for (asmjit::Label& stub : stubs_) stub = a_.newLabel();
}

void Assembly::MoveTo(uint32_t instruction) {
  place_.number = instruction;
  place_.instruction = &body().program.instructions[instruction];
}

Slow Assembly::AddSlow(Slow::Kind kind) {
  slows_.push_back({kind, place_.number, a_.newLabel(), a_.newLabel(), again_});
  return slows_.back();
}

void Assembly::Charge() {
  const Slow slow = AddSlow(Slow::Kind::kCharge);
  TakeFuel(*this, slow.entry);
  a_.bind(slow.back);
}

void Assembly::Call(Stub stub) {
  const auto index = static_cast<size_t>(stub);
  stub_used_[index] = true;
  const bool step = stub == Stub::kStep || stub == Stub::kSlowStep;
  CallStub(*this, stubs_[index], step);
}

void Assembly::EmitStubs() {
  for (size_t stub = 0; stub < kStubs; ++stub) {
    if (!stub_used_[stub]) continue;
    a_.bind(stubs_[stub]);
    JumpToThunk(*this, kStubThunks[stub]);
  }
}

void Assembly::JumpTo(const asmjit::Label& label) {
  if (!IsNext(label)) Jump(*this, label);
}

bool Assembly::IsNext(const asmjit::Label& label) const {
  const Program& program = body().program;
  const size_t next = size_t{place_.number} + 1;
  if (next >= program.instructions.size()) return false;
  const uint32_t block = program.BlockAt(program.instructions[next].offset);
  return block != Program::kNone && labels_.First(block).id() == label.id();
}

asmjit::Label Assembly::AddTable() {
  tables_.push_back({a_.newLabel(), place_.number, place_.block});
  return tables_.back().label;
}

void Assembly::EmitTables(Looks& looks) {
  for (const Table& table : tables_) {
    a_.align(asmjit::AlignMode::kData, 4);
    a_.bind(table.label);
    for (const uint32_t target :
         TargetsOf(own_.program.instructions[table.instruction])) {
      if (looks.Stop()) return;
      a_.embedLabelDelta(labels_.Target(target, table.block), table.label, 4);
    }
  }
}

}  // namespace eyrie::vm::jit
