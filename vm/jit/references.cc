#include "vm/jit/references.h"

#include "vm/jit/layout.h"

namespace eyrie::vm::jit {

void References::AssignReference(uint16_t from, uint16_t to) {
  if (RefIndex(from) == to) return;
  TakeReference(from);
  ReplaceReference(to);
}

void References::TakeReference(uint16_t from) {
  const x86::Mem at = RefAt(RefIndex(from));
  a_.mov(x86::rax, at);
  if (IsMove(from)) {
    a_.mov(at, 0);
    return;
  }
  const asmjit::Label null = a_.newLabel();
  a_.test(x86::rax, x86::rax);
  a_.jz(null);
  ShareReference();
  a_.bind(null);
}

void References::ShareReference() {
  a_.lock().inc(x86::dword_ptr(x86::rax, RefObjectLayout::kCount));
}

void References::ReplaceReference(uint16_t to) {
  const asmjit::Label null = a_.newLabel();
  a_.mov(x86::rcx, RefAt(to));
  a_.mov(RefAt(to), x86::rax);
  a_.test(x86::rcx, x86::rcx);
  a_.jz(null);
  a_.call(State(offsetof(CompiledState, thunks.drop), 8));
  a_.bind(null);
}

void References::DropReference(uint16_t index) {
  const asmjit::Label null = a_.newLabel();
  a_.mov(x86::rcx, RefAt(index));
  a_.test(x86::rcx, x86::rcx);
  a_.jz(null);
  a_.call(State(offsetof(CompiledState, thunks.drop), 8));
  a_.bind(null);
}

void References::LoadObject(int operand, size_t type, const Slow& slow) {
  a_.mov(x86::rax, RefAt(OperandRegister(operand)));
  a_.mov(x86::rcx, State(type, 8));
  a_.test(x86::rax, x86::rax);
  a_.jz(slow.entry);
  a_.cmp(x86::rcx, x86::qword_ptr(x86::rax, RefObjectLayout::kType));
  a_.jne(slow.entry);
}

}  // namespace eyrie::vm::jit
