// References are in x0 between two functions.
#include "vm/jit/references.h"

#include "vm/jit/aarch64/operands.h"
#include "vm/jit/layout.h"

namespace eyrie::vm::jit {

void References::TakeReference(uint16_t from) {
  a64::Assembler& a = AssemblerOf(code_);
  const Memory at = RefAt(RefIndex(from));
  LoadRegister(/*real=*/false, 0, at);
  if (IsMove(from)) {
    a.str(a64::xzr, Operands(code_).At(at));
    return;
  }
  const asmjit::Label null = NewLabel();
  a.cbz(a64::x0, null);
  ShareReference();
  a.bind(null);
}

// Clobbers x2, kNear and kFar.
void References::ShareReference() {
  a64::Assembler& a = AssemblerOf(code_);
  const asmjit::Label again = NewLabel();
  a.add(kFar, a64::x0, uint32_t{RefObjectLayout::kCount});
  a.bind(again);
  a.ldxr(kNear.w(), a64::ptr(kFar));
  a.add(kNear.w(), kNear.w(), 1);
  a.stxr(a64::w2, kNear.w(), a64::ptr(kFar));
  a.cbnz(a64::w2, again);
}

void References::DropOld() {
  a64::Assembler& a = AssemblerOf(code_);
  const asmjit::Label null = NewLabel();
  a.cbz(a64::x1, null);
  a.ldr(kNear, Operands(code_).State(offsetof(CompiledState, thunks.drop)));
  a.blr(kNear);
  a.bind(null);
}

// Clobbers x1 and x2.
void References::LoadObject(int operand, size_t type, const Slow& slow) {
  a64::Assembler& a = AssemblerOf(code_);
  LoadRegister(/*real=*/false, 0, RefAt(OperandRegister(operand)));
  LoadRegister(/*real=*/false, 1, StateAt(type));
  a.cbz(a64::x0, slow.entry);
  a.ldr(a64::x2, a64::ptr(a64::x0, RefObjectLayout::kType));
  a.cmp(a64::x1, a64::x2);
  a.b_ne(slow.entry);
}

}  // namespace eyrie::vm::jit
