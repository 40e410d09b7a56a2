// References are in rax between two functions.
#include "vm/jit/references.h"

#include "vm/jit/layout.h"
#include "vm/jit/x86_64/operands.h"

namespace eyrie::vm::jit {

void References::TakeReference(uint16_t from) {
  x86::Assembler& a = AssemblerOf(code_);
  const x86::Mem at = OperandOf(RefAt(RefIndex(from)));
  a.mov(x86::rax, at);
  if (IsMove(from)) {
    a.mov(at, 0);
    return;
  }
  const asmjit::Label null = NewLabel();
  a.test(x86::rax, x86::rax);
  a.jz(null);
  ShareReference();
  a.bind(null);
}

void References::ShareReference() {
  x86::Assembler& a = AssemblerOf(code_);
  a.lock().inc(x86::dword_ptr(x86::rax, RefObjectLayout::kCount));
}

void References::DropOld() {
  x86::Assembler& a = AssemblerOf(code_);
  const asmjit::Label null = NewLabel();
  a.test(x86::rcx, x86::rcx);
  a.jz(null);
  a.call(Operands::State(offsetof(CompiledState, thunks.drop), 8));
  a.bind(null);
}

void References::LoadObject(int operand, size_t type, const Slow& slow) {
  x86::Assembler& a = AssemblerOf(code_);
  a.mov(x86::rax, OperandOf(RefAt(OperandRegister(operand))));
  a.mov(x86::rcx, Operands::State(type, 8));
  a.test(x86::rax, x86::rax);
  a.jz(slow.entry);
  a.cmp(x86::rcx, x86::qword_ptr(x86::rax, RefObjectLayout::kType));
  a.jne(slow.entry);
}

}  // namespace eyrie::vm::jit
